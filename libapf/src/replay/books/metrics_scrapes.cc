#include "replay/books/metrics_scrapes.h"

#include <algorithm>

namespace apf {

namespace {

constexpr std::size_t kScrapesEach = 16;  // for each request
constexpr std::size_t kKept = 512;        // while the run lasts: more requests may come

std::size_t most_scrapes(std::size_t requests) {
  return std::min(kScrapesEach * requests + kScrapesBeyondRequests, kMostScrapes);
}

}  // namespace

void MetricsScrapes::on_begin(Controller&, Nanos first_arrival) {
  next_ = first_arrival;
  begun_ = true;
}

MetricCurve& MetricsScrapes::curve(const MetricFamily& family, const MetricSeries& series) {
  const auto [at, is_new] = families_.try_emplace(family.name, out_.families.size());
  if (is_new) {
    out_.families.push_back({family.name, family.help, family.type, {}});
    curves_.emplace_back();
  }
  std::string key;
  for (const auto& [label, value] : series.labels) key += label + '\0' + value + '\0';
  MetricHistory& history = out_.families[at->second];
  const auto [place, fresh] = curves_[at->second].try_emplace(std::move(key), history.curves.size());
  if (fresh) {
    MetricCurve& added = history.curves.emplace_back();
    added.labels = series.labels;
    added.first = out_.times.size();
    for (const MetricBucket& bucket : series.buckets) added.bounds.push_back(bucket.bound);
  }
  return history.curves[place->second];
}

void MetricsScrapes::scrape() {
  for (const MetricFamily& family : read_(next_)) {
    if (family.on_request) continue;
    for (const MetricSeries& series : family.series) {
      MetricCurve& to = curve(family, series);
      if (to.bounds.empty()) {
        to.values.push_back(series.value);
        continue;
      }
      for (const MetricBucket& bucket : series.buckets) to.values.push_back(static_cast<double>(bucket.count));
      to.values.push_back(series.sum);
    }
  }
  out_.times.push_back(next_);
  // What is there once is there ever after, as in a server.
  for (MetricHistory& family : out_.families) {
    for (MetricCurve& of : family.curves) {
      const std::size_t wanted = (out_.times.size() - of.first) * of.stride();
      while (of.values.size() < wanted) of.values.push_back(of.values[of.values.size() - of.stride()]);
    }
  }
  next_ += step_;
  if (out_.times.size() >= std::max(most_scrapes(requests_), kKept)) thin_out();
}

void MetricsScrapes::thin_out() {
  const std::size_t scrapes = out_.times.size();
  for (MetricHistory& family : out_.families) {
    for (MetricCurve& of : family.curves) {
      std::vector<double> kept;
      for (std::size_t i = of.first + of.first % 2; i < scrapes; i += 2) {
        const auto from = of.values.begin() + static_cast<std::ptrdiff_t>((i - of.first) * of.stride());
        kept.insert(kept.end(), from, from + static_cast<std::ptrdiff_t>(of.stride()));
      }
      of.first = (of.first + 1) / 2;
      of.values = std::move(kept);
    }
  }
  for (std::size_t i = 0; i < scrapes; i += 2) out_.times[i / 2] = out_.times[i];
  out_.times.resize((scrapes + 1) / 2);
  step_ *= 2;
  next_ = out_.times.back() + step_;
}

MetricsOverTime MetricsScrapes::take() {
  if (!begun_) return {};
  while (out_.times.size() >= most_scrapes(requests_)) thin_out();
  scrape();
  return std::move(out_);
}

}  // namespace apf
