import Telemetry
import Unfurler

extension PreviewService {
  /// The metrics of link previews.
  var samples: [MetricSample] {
    let counters = counters
    return lookUps(counters) + fetches(counters) + demands(counters) + cache(counters) + service
  }

  private func lookUps(_ counters: PreviewCounters) -> [MetricSample] {
    let results = [
      ("hit", counters.hits), ("stale", counters.staleHits), ("none", counters.negativeHits),
      ("miss", counters.misses), ("refused", counters.refusedByPolicy),
    ]
    return results.map { result, count in
      MetricSample(
        "parley_preview_lookups_total", .counter, "Links looked for in the cache, by result.",
        count, .init("result", result))
    }
  }

  private func fetches(_ counters: PreviewCounters) -> [MetricSample] {
    let outcomes = [
      ("found", counters.found), ("empty", counters.empty), ("failed", counters.failed),
      ("timed_out", counters.timedOut),
    ]
    let samples = outcomes.map { outcome, count in
      MetricSample(
        "parley_preview_fetches_total", .counter, "Links looked up anew, by outcome.", count,
        .init("outcome", outcome))
    }
    return samples + [
      MetricSample(
        "parley_preview_refreshes_total", .counter, "Look-ups of links past their time.",
        counters.refreshes),
      MetricSample(
        "parley_preview_refused_total", .counter, "Look-ups refused as too many were waiting.",
        counters.refused),
      MetricSample(
        "parley_preview_fetches_in_flight", .gauge, "Links that are being looked up.",
        counters.inFlight),
    ]
  }

  private func demands(_ counters: PreviewCounters) -> [MetricSample] {
    PreviewDemandResult.allCases.map { result in
      MetricSample(
        "parley_preview_requests_total", .counter,
        "Previews requested outside of messages, by result.",
        counters.demands[result, default: 0], .init("result", result.rawValue))
    }
  }

  private func cache(_ counters: PreviewCounters) -> [MetricSample] {
    [
      MetricSample(
        "parley_preview_cache_entries", .gauge, "Links that are remembered.",
        counters.cachedEntries, .init("place", "memory")),
      MetricSample(
        "parley_preview_cache_entries", .gauge, "Links that are remembered.", counters.fileRows,
        .init("place", "file")),
      MetricSample(
        "parley_preview_cache_bytes", .gauge, "Bytes of what is remembered.",
        counters.cachedBytes, .init("place", "memory")),
      MetricSample(
        "parley_preview_cache_bytes", .gauge, "Bytes of what is remembered.", counters.fileBytes,
        .init("place", "file")),
    ]
  }

  private var service: [MetricSample] {
    guard let isServiceUp else { return [] }
    return [
      MetricSample(
        "parley_preview_service_up", .gauge, "1 while the service for previews answers.",
        isServiceUp ? 1 : 0)
    ]
  }
}

extension PreviewPictures {
  /// The metrics of the pictures of previews.
  var samples: [MetricSample] {
    let figures = figures
    let outcomes = PictureOutcome.allCases.map { outcome in
      MetricSample(
        "parley_preview_pictures_total", .counter,
        "Pictures of previews asked for to be copied, by outcome.",
        figures.outcomes[outcome, default: 0], .init("outcome", outcome.rawValue))
    }
    return outcomes + [
      MetricSample(
        "parley_preview_pictures", .gauge, "Copies of pictures on disk.", figures.count),
      MetricSample(
        "parley_preview_picture_bytes", .gauge, "Bytes of the copies of pictures on disk.",
        Int(figures.byteCount)),
    ]
  }
}
