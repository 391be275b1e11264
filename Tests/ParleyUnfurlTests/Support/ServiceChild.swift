import HTTP
import TestPeers
import TestSupport

/// `parley-unfurl` as a child process that listens.
final class ServiceChild {
  /// Where it may fetch from.
  enum Reach {
    /// Any port of this machine too.
    case thisMachine
    case publicOnly

    var flags: [String] {
      switch self {
      case .thisMachine:
        ["--unfurl-allow-addresses", "127.0.0.0/8", "--unfurl-allow-ports", "1-65535"]
      case .publicOnly: []
      }
    }
  }

  let process: Parleyd
  let port: UInt16

  private static let mark = "listening on http://127.0.0.1:"

  /// Starts one and waits until it listens.
  ///
  /// - Parameter port: That of one that has ended; 0 picks a free one.
  init(_ flags: [String] = [], port: UInt16 = 0, reaching reach: Reach = .thisMachine) throws {
    let process = try Parleyd(
      ["--listen", "127.0.0.1:\(port)"] + reach.flags + flags, program: "parley-unfurl")
    self.process = process
    var bound: UInt16?
    try Deadline.standard.wait(for: "'\(Self.mark)' in the log") {
      let line = process.log.lines.first { $0.contains(Self.mark) }
      bound = line?.split(separator: Self.mark).last.flatMap { UInt16($0.prefix { $0.isNumber }) }
      guard bound != nil || process.isRunning else {
        _ = try process.waitForEnd()
        throw TestFailure("parley-unfurl did not start:\n\(process.log.text)")
      }
      return bound != nil
    }
    self.port = bound ?? 0
  }

  var url: String { "http://127.0.0.1:\(port)/" }

  func connect() throws -> HTTPPeer { try HTTPPeer(port: port) }

  /// Kills it without warning.
  func kill() throws {
    process.send(signal: 9)
    _ = try process.waitForEnd()
  }
}
