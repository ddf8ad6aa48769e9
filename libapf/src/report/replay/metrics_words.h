// Numbers and labels as the text formats of metrics have them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace apf {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

std::string metric_number(double value);
// {label="value",le="…"}; nothing without labels. `le`: empty, or the bound of a bucket.
std::string metric_labels(const MetricLabels& labels, const std::string& le);

}  // namespace apf
