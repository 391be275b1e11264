import Foundation
package import ParleyProtocol

/// Calls of the Platform API, as an operator makes them.
extension ServerProcess {
  /// The token that the server made when it first started.
  package var apiToken: String {
    get throws {
      try String(contentsOfFile: directory.path(of: "data/api-token"), encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// Calls, and returns the status and the answer.
  package func platform(
    _ path: String, method: String = "GET", token: String? = nil
  ) throws -> (status: UInt16, body: JSONNode) {
    let answer = try HTTPAnswer(
      method, to: path, fields: [("api-token", try token ?? apiToken)],
      over: StreamSocket(port: port))
    return (answer.status, try JSONDocument(answer.text).root)
  }
}
