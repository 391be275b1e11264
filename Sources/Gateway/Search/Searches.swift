import Channels
import ParleyProtocol
import Reactor
import Store
import Synchronization
import Telemetry

/// The searches of users on all shards of this server: their rates and numbers, and the state of the index
/// for metrics.
final class Searches: Sendable {
  /// How a search ended.
  enum Outcome: String, CaseIterable {
    case found
    /// Its time was up, or messages were missing in the index.
    case partial
    case refused
    case failed
  }

  /// Whether this server searches.
  let isOn: Bool
  private let rates = UserRates(perSecond: Limits.searchesPerSecond)
  private let running = Mutex<[String: Int]>([:])
  private let ended = Mutex(Ended())
  private let index = Mutex(IndexState())

  private struct Ended {
    var counts: [Outcome: Int] = [:]
    let durations = HistogramShard<SearchLatency>()
  }

  private struct IndexState {
    var status: SearchStatus?
    var addedCount = 0
    /// The time of the newest message in the index while others wait, in Unix milliseconds.
    var waitingSince: Int64?
  }

  init(isOn: Bool) { self.isOn = isOn }

  /// Counts a search of a user, which ``end(of:)`` must follow.
  ///
  /// - Throws: 400920 without search, 500910.
  func begin(by userID: String, at now: Int64) throws(ServiceError) {
    try requireOn()
    do throws(ServiceError) {
      if let wait = rates.admit(userID, at: now) {
        throw .rateLimited(
          retryAfter: wait, limit: Limits.searchesPerSecond, window: 1_000, scope: "user")
      }
      let isAdmitted = running.withLock { running in
        guard running[userID, default: 0] < Limits.concurrentSearches else { return false }
        running[userID, default: 0] += 1
        return true
      }
      if !isAdmitted {
        throw .rateLimited(
          retryAfter: Int64(Limits.searchMilliseconds), limit: Limits.concurrentSearches,
          window: Int64(Limits.searchMilliseconds), scope: "user")
      }
    } catch {
      count(.refused)
      throw error
    }
  }

  /// Ends a search of a user.
  func end(of userID: String) {
    running.withLock { running in
      guard let count = running[userID], count > 1 else { return running[userID] = nil }
      running[userID] = count - 1
    }
  }

  /// - Throws: 400920.
  func requireOn() throws(ServiceError) {
    guard isOn else {
      throw ServiceError(
        .combinationNotAcceptable, "search is turned off: search.mode is off")
    }
  }

  /// Notes the outcome of a search in the store.
  func note<Message>(
    _ result: Result<SearchPage<Message>, StoreError>, _ cost: QueryCost
  ) {
    ended.withLock { $0.durations.record(nanoseconds: cost.nanoseconds, for: .search) }
    switch result {
    case .success(let page): count(page.isPartial ? .partial : .found)
    case .failure(.notFound), .failure(.invalidPageToken), .failure(.tooManyQueries):
      count(.refused)
    case .failure: count(.failed)
    }
  }

  private func count(_ outcome: Outcome) {
    ended.withLock { $0.counts[outcome, default: 0] += 1 }
  }

  // MARK: The index

  /// - Parameter time: The time of the newest message in the index while others wait, in Unix milliseconds.
  func didIndex(count: Int, since time: Int64?) {
    index.withLock { state in
      state.addedCount += count
      state.waitingSince = time
    }
  }

  /// The size of the index when it was last measured; 0 before.
  var indexByteCount: Int { index.withLock { $0.status?.byteCount ?? 0 } }

  func adopt(_ status: SearchStatus?) { index.withLock { $0.status = status } }

  /// - Parameter now: Unix milliseconds.
  func samples(at now: Int64) -> [MetricSample] {
    guard isOn else { return [] }
    let state = index.withLock { $0 }
    let (durations, counts) = ended.withLock {
      (HistogramShard.samples(summing: [$0.durations]), $0.counts)
    }
    return durations
      + Outcome.allCases.map { outcome in
        MetricSample(
          "parley_searches_total", .counter, "Searches, by outcome.", counts[outcome] ?? 0,
          .init("outcome", outcome.rawValue))
      } + [
        MetricSample(
          "parley_search_indexed_total", .counter,
          "Messages that were added to the index of search.",
          state.addedCount),
        MetricSample(
          "parley_search_index_rows", .gauge, "Messages in the index of search, when last counted.",
          state.status?.rowCount ?? 0),
        MetricSample(
          "parley_search_index_bytes", .gauge, "Size of the index of search, when last measured.",
          state.status?.byteCount ?? 0),
        .seconds(
          "parley_search_lag_seconds", "Time by which the index of search is behind the messages.",
          state.waitingSince.map { max(0, now - $0) } ?? 0),
      ]
  }
}

/// The histogram of searches.
private enum SearchLatency: Int, MetricKey {
  case search

  var definition: MetricDefinition {
    MetricDefinition(
      "parley_search_seconds", kind: .histogram, help: "Time of a search in the store.")
  }
}
