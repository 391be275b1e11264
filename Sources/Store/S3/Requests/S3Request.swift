import Basics
import Crypto

/// A request to a bucket; every request may be repeated without harm.
struct S3Request: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case post = "POST"
    case delete = "DELETE"
  }

  /// The urgency of a request, and its treatment when it fails.
  enum Patience: Sendable {
    /// A caller waits: retried for this many seconds.
    case seconds(Int)
    /// No caller waits: retried until it succeeds.
    case unlimited
  }

  let method: Method
  /// The key of an object; empty for the bucket.
  var key = ""
  /// The parameters of the query.
  var query: [(name: String, value: String)] = []
  var range: Range<Int64>?
  var body: [UInt8] = []
  /// The maximum size of a response body that is read.
  var maximumBytes = 65_536
  /// The statuses of success, and of failures that the caller handles.
  var expected: Set<Int> = [200]
  var patience = Patience.seconds(20)

  init(_ method: Method, _ key: String = "") {
    self.method = method
    self.key = key
  }

  /// The path below the bucket with its query, in the signed form: sorted and encoded.
  var target: String {
    let parameters = query.map {
      PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value)
    }
    let path = "/" + key
    return parameters.isEmpty ? path : path + "?" + parameters.sorted().joined(separator: "&")
  }

  /// The digest that is signed instead of the body.
  var bodyDigest: String { TokenDigest(of: body).hex }

  /// The request as shown in messages.
  var description: String { method.rawValue + " " + (key.isEmpty ? "/" : key) }
}

/// A whole response.
struct S3Response: Sendable {
  let status: Int
  let body: [UInt8]
  /// The length of the object, according to `Content-Range` or else `Content-Length`.
  let objectByteCount: Int64?
  /// The object's `ETag`.
  let tag: String?
  /// The server's time from `Date`.
  let date: String?

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// The reason why a request failed.
package struct S3Error: Error, Sendable, Hashable, CustomStringConvertible {
  /// The message of the server or of libcurl, for the operator; never a secret.
  package let description: String
  /// The status of the last response; `nil` when there was none.
  package let status: Int?
  /// The last response, if it refuses the request.
  let answer: Answer?

  /// A response that refuses a request.
  struct Answer: Sendable, Hashable {
    let status: Int
    /// The error code, from the list of S3.
    var code: String?
    /// The region of the bucket.
    var region: String?
    /// The server's time from `Date`.
    var date: String?
  }

  init(_ description: String, status: Int? = nil) {
    self.description = description
    self.status = status
    answer = nil
  }

  init(_ description: String, _ answer: Answer) {
    self.description = description
    self.answer = answer
    status = answer.status
  }

  static let closed = S3Error("the server stops")
  static let overloaded = S3Error("too many requests to the bucket wait")
}
