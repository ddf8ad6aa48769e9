#include "replay/prepare/shape_classes.h"

#include <apf/error.h>

#include "classify/dialect.h"
#include "replay/prepare/compile.h"

namespace apf {

ShapeClasses::ShapeClasses(const ReplayOptions& options, const std::vector<std::shared_ptr<const RequestShape>>& shapes,
                           bool by_all_fields, FlowBooks books)
    : classifiers(compile_configurations(options)) {
  std::vector<ShapeClassifier> classify;
  for (const auto& classifier : classifiers) {
    if (!by_all_fields && looks_at_all_fields(*classifier))
      throw Error("a log that was read for one dialect of configurations cannot be classified by another");
    classify.emplace_back(*classifier);
  }
  flows = std::make_unique<Flows>(classifiers);
  for (const auto& shape : shapes) {
    FlowDefinition definition;
    definition.shape = shape;
    definition.filled = shape->filled > 0;
    if (books == FlowBooks::of_users) definition.user = user_of(*shape);
    for (ShapeClassifier& classifier : classify) definition.choices.push_back(classifier.choose(*shape));
    flows->add(definition);
  }
}

}  // namespace apf
