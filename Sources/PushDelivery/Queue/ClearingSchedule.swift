import HeapModule
import Push

/// The users whose other devices are to learn what was read, and the times at which they do.
///
/// Kept in memory only: a push that is lost leaves a badge that the next one corrects.
struct ClearingSchedule {
  private struct Due: Comparable {
    let time: Int64
    let userID: String

    static func < (left: Due, right: Due) -> Bool {
      (left.time, left.userID) < (right.time, right.userID)
    }
  }

  /// Maximum number of users who wait; those of further users are not cleared.
  private static let countLimit = 10_000
  /// Maximum number of users whose devices are read at a time.
  private static let readingLimit = 16

  private var intervals = ClearingPushes()
  private var waiting: Heap<Due> = []
  /// The channel that a waiting user has read last.
  private var channelURLs: [String: String] = [:]
  private var readingCount = 0

  /// Notes that a user has read a channel.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  mutating func add(_ userID: String, channelURL: String, at now: Int64) {
    if channelURLs[userID] != nil {
      channelURLs[userID] = channelURL
      return
    }
    guard channelURLs.count < Self.countLimit, let time = intervals.time(for: userID, at: now)
    else { return }
    channelURLs[userID] = channelURL
    waiting.insert(Due(time: time, userID: userID))
  }

  /// The time of the next user; `nil` when none waits, or while too many are being read.
  var due: Int64? { readingCount < Self.readingLimit ? waiting.min?.time : nil }

  /// Removes the next user whose time has come, whose devices are then read until ``didEndReading()``.
  mutating func next(at now: Int64) -> (userID: String, channelURL: String)? {
    guard let due, due <= now, let first = waiting.popMin(),
      let url = channelURLs.removeValue(forKey: first.userID)
    else { return nil }
    readingCount += 1
    return (first.userID, url)
  }

  mutating func didEndReading() { readingCount -= 1 }
}
