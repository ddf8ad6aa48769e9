#include "summary/places.h"

#include "classify/match.h"

namespace apf {

Places::Place Places::of(const TracedRequest& traced) {
  view_.f = traced.view;
  if (traced.user_number >= candidates_.size()) candidates_.resize(traced.user_number + std::size_t{1});
  auto& candidates = candidates_[traced.user_number];
  if (!candidates || traced.user_number == 0) candidates = classifier_->candidates(*traced.user);
  const Classifier::Match match = match_view(*classifier_, view_, *candidates);
  const Classifier::Schema& schema = classifier_->schemas()[match.schema];
  return {names_.schemas.id(schema.name), names_.levels.id(classifier_->levels()[schema.level].name)};
}

}  // namespace apf
