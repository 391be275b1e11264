import Reactor
import Synchronization
import Uploads

/// The requests of users that write to uploads on this server, at most one for each upload.
final class UploadWriters: Sendable {
  private struct Writer: Sendable {
    /// The term of the request's claim.
    let term: Int64
    /// Ends the request, on any thread.
    let cancel: @Sendable () -> Void
  }

  /// Indexed by file id.
  private let active = Mutex<[String: Writer]>([:])
  private let rates = UserRates(
    perSecond: UploadPace.requestsPerSecond, burst: UploadPace.burst)

  /// Counts a request of a user.
  ///
  /// - Returns: The milliseconds until the next request is allowed; `nil` if this one is allowed.
  func admit(_ userID: String) -> Int64? {
    rates.admit(userID, at: SystemClock.monotonicMilliseconds)
  }

  /// Reverts the count of a request.
  func giveBack(_ userID: String) { rates.giveBack(userID) }

  /// Registers a request, and ends the request whose claim it has taken over.
  ///
  /// - Parameters:
  ///   - term: The term of the request's claim, which grows from one request to the next.
  ///   - cancel: Ends the request, on any thread.
  func begin(_ fileID: String, term: Int64, cancel: @escaping @Sendable () -> Void) {
    let writer = Writer(term: term, cancel: cancel)
    let older = active.withLock { active -> Writer? in
      guard let known = active[fileID], known.term > term else {
        return active.updateValue(writer, forKey: fileID)
      }
      return writer
    }
    older?.cancel()
  }

  func end(_ fileID: String, term: Int64) {
    active.withLock { if $0[fileID]?.term == term { $0[fileID] = nil } }
  }

  /// Ends the request that writes to an upload, if there is one.
  func cancel(_ fileID: String) {
    active.withLock { $0[fileID] }?.cancel()
  }

  var count: Int { active.withLock { $0.count } }
}
