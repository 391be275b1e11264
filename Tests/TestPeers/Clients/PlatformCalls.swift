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
    _ path: String, method: String = "GET", json: String = "", token: String? = nil
  ) throws -> (status: UInt16, body: JSONNode) {
    let answer = try HTTPAnswer(
      method, to: path, fields: [("api-token", try token ?? apiToken)],
      body: Array(json.utf8), over: StreamSocket(port: port))
    return (answer.status, try JSONDocument(answer.text).root)
  }

  /// Calls, and returns the answer of a call that succeeds.
  @discardableResult
  package func call(_ method: String, _ path: String, _ json: String = "") throws -> JSONNode {
    let (status, body) = try platform("/v3/" + path, method: method, json: json)
    guard status == 200 else {
      throw TestFailure(
        "\(method) \(path) answered \(status): \(String(decoding: body.raw, as: UTF8.self))")
    }
    return body
  }

  /// Calls, and returns the code of the refusal; 0 when there is none.
  package func refusal(_ method: String, _ path: String, _ json: String = "") throws -> Int64 {
    let (status, body) = try platform("/v3/" + path, method: method, json: json)
    guard status >= 400, body["error"]?.bool == true, body["message"]?.string != nil else {
      return 0
    }
    return body["code"]?.integer ?? 0
  }
}
