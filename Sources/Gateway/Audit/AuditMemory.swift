import Synchronization

/// The newest lines of the audit log of this server, for operators who look at them without its file.
///
/// Lost at the end of the process. It also has lines that could not be written to the file.
final class AuditMemory: Sendable {
  /// A line with what it is found by.
  struct Line: Sendable, Equatable {
    /// 1 for the first line since the start.
    let number: Int64
    let tokenID: String
    let path: String
    /// One object, without a line feed.
    let json: [UInt8]
  }

  static let countLimit = 1_000
  static let byteLimit = 2_097_152

  private struct State {
    var lines: [Line] = []
    var byteCount = 0
    var number: Int64 = 0
  }

  private let state = Mutex(State())

  /// Adds the newest line, and removes the oldest ones beyond the limits.
  func add(tokenID: String, path: String, json: [UInt8]) {
    state.withLock { state in
      state.number += 1
      state.lines.append(Line(number: state.number, tokenID: tokenID, path: path, json: json))
      state.byteCount += json.count
      var excess = max(0, state.lines.count - Self.countLimit)
      var byteCount = state.lines.prefix(excess).reduce(state.byteCount) { $0 - $1.json.count }
      while byteCount > Self.byteLimit, excess < state.lines.count - 1 {
        byteCount -= state.lines[excess].json.count
        excess += 1
      }
      state.lines.removeFirst(excess)
      state.byteCount = byteCount
    }
  }

  /// Returns lines, newest first, and whether there are more.
  ///
  /// - Parameters:
  ///   - number: Only lines with smaller numbers; `nil` for all.
  ///   - tokenID: Only calls with this token.
  ///   - part: Only calls whose path contains this text.
  func lines(
    before number: Int64? = nil, limit: Int, tokenID: String? = nil, containing part: String? = nil
  ) -> (lines: [Line], hasMore: Bool) {
    let found = state.withLock { state in
      let wanted = state.lines.reversed().lazy.filter { line in
        line.number < number ?? .max && line.tokenID == tokenID ?? line.tokenID
          && (part.map { line.path.contains($0) } ?? true)
      }
      return Array(wanted.prefix(limit + 1))
    }
    return (Array(found.prefix(limit)), found.count > limit)
  }
}
