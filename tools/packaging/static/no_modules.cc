// A static program has no dynamic loader: libcrypto must not load modules that the openssl.cnf of the machine names.
#include <openssl/crypto.h>

namespace {

[[maybe_unused]] const int kWithoutConfiguration = OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);

}  // namespace
