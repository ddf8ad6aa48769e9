// What a configuration looks at when it classifies a request: kept once for all requests that no configuration tells
// apart, so that a log that has been read can be classified again.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <apf/classify.h>

#include "classify/request_view.h"
#include "replay/prepare/prepared.h"

namespace apf {

struct RequestShape {
  User user;
  bool is_known = true;  // whether that is a user: a client of the HTTP log has its user agent and address for a name
  RequestInfo info;
  // Not empty: nobody knows the user, but the log or a fill names the FlowSchema.
  std::string schema;
  std::size_t filled = 0;  // which flow of a fill

  // Equal for shapes that no configuration tells apart.
  std::string key;
};

// Whose requests these are. Empty: nobody knows.
inline std::string user_of(const RequestShape& shape) { return shape.is_known ? shape.user.name : std::string(); }

struct KnownUser;

// `by_all_fields`: matching looks at more than the usual fields.
std::shared_ptr<const RequestShape> shape_of(const RequestView& view, const KnownUser& user, bool by_all_fields);
std::shared_ptr<const RequestShape> shape_of_fill(const std::string& schema, std::size_t flow);

// Where requests of a shape go.
class ShapeClassifier {
 public:
  explicit ShapeClassifier(const Classifier& classifier)
      : classifier_(classifier), view_(std::make_unique<RequestView>()) {}
  FlowDefinition::Choice choose(const RequestShape& shape);

 private:
  const Classifier& classifier_;
  std::string last_user_;
  std::shared_ptr<const Classifier::Candidates> candidates_;  // of that user
  std::unique_ptr<RequestView> view_;
};

}  // namespace apf
