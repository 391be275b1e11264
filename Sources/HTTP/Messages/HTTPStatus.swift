/// A status code of HTTP (RFC 9110 §15).
///
/// A struct instead of an enum, so that unknown codes are kept and can be reported.
package struct HTTPStatus: Sendable, Hashable {
  /// The three-digit code, 100–999.
  package let code: UInt16

  /// Makes a status from its code; one outside 100–999 becomes 500.
  package init(_ code: UInt16) {
    self.code = (100...999).contains(code) ? code : 500
  }

  package static let `continue` = HTTPStatus(100)
  package static let switchingProtocols = HTTPStatus(101)
  package static let ok = HTTPStatus(200)
  package static let created = HTTPStatus(201)
  package static let noContent = HTTPStatus(204)
  package static let partialContent = HTTPStatus(206)
  package static let notModified = HTTPStatus(304)
  package static let badRequest = HTTPStatus(400)
  package static let unauthorized = HTTPStatus(401)
  package static let forbidden = HTTPStatus(403)
  package static let notFound = HTTPStatus(404)
  package static let methodNotAllowed = HTTPStatus(405)
  package static let requestTimeout = HTTPStatus(408)
  package static let contentTooLarge = HTTPStatus(413)
  package static let uriTooLong = HTTPStatus(414)
  package static let unsupportedMediaType = HTTPStatus(415)
  package static let rangeNotSatisfiable = HTTPStatus(416)
  package static let expectationFailed = HTTPStatus(417)
  package static let upgradeRequired = HTTPStatus(426)
  package static let tooManyRequests = HTTPStatus(429)
  package static let requestHeaderFieldsTooLarge = HTTPStatus(431)
  package static let internalServerError = HTTPStatus(500)
  package static let notImplemented = HTTPStatus(501)
  package static let badGateway = HTTPStatus(502)
  package static let serviceUnavailable = HTTPStatus(503)
  package static let httpVersionNotSupported = HTTPStatus(505)

  /// The standard reason phrase of the code; empty when the code is not a common one.
  package var reasonPhrase: String { Self.reasonPhrases[code] ?? "" }

  /// Whether a response with this status never has a body (RFC 9112 §6.3).
  package var forbidsBody: Bool { code < 200 || code == 204 || code == 304 }

  private static let reasonPhrases: [UInt16: String] = [
    100: "Continue", 101: "Switching Protocols", 103: "Early Hints",
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    411: "Length Required", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    421: "Misdirected Request",
    422: "Unprocessable Content", 423: "Locked", 426: "Upgrade Required",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large", 460: "Checksum Mismatch",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage",
  ]
}

extension HTTPStatus: CustomStringConvertible {
  package var description: String {
    reasonPhrase.isEmpty ? String(code) : "\(code) \(reasonPhrase)"
  }
}

/// A violation of HTTP by the peer, and the status with which a server answers it.
///
/// The stream's framing is lost: answer, and close the connection.
package struct HTTPError: Error, Sendable, Hashable {
  /// The status to answer with, 4xx or 5xx.
  package let status: HTTPStatus
  /// A sentence for people who read the response.
  package let message: String

  /// Makes an error from its status and a sentence.
  package init(_ status: HTTPStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  static func badRequest(_ message: String) -> HTTPError { HTTPError(.badRequest, message) }
}

extension HTTPError: CustomStringConvertible {
  package var description: String { "\(status): \(message)" }
}
