import Crypto
import Curl
import Dispatch
import Logging
import Reactor
import Synchronization

/// A test of a bucket: an object is stored, read and removed, or files are looked up.
package struct S3Probe {
  /// The beginning of the object's name, which no file has.
  private static let name = "parley-check-"
  /// Seconds for each request, including retries after transient failures.
  private static let patience = 5

  private let account: S3Account
  private let client: S3Client
  private let key: String
  private let content = SecureRandom.bytes(count: 32)

  /// Tests a bucket; blocks the caller's thread for some seconds at most.
  ///
  /// - Returns: The problem that prevents its use for files; `nil` when there is none.
  package static func problem(of account: S3Account) -> String? {
    do throws(CurlError) {
      return try S3Probe(account).problem()
    } catch {
      return error.description
    }
  }

  /// Counts the files missing from a bucket; blocks the caller's thread for some seconds at most.
  ///
  /// - Returns: The reason of a failure if a bucket does not reveal whether it has a file, as without
  ///   the right to list its objects.
  package static func missingCount(
    of ids: [String], in account: S3Account
  ) -> Result<Int, S3Error> {
    do throws(CurlError) {
      return try S3Probe(account).missingCount(of: ids)
    } catch {
      return .failure(S3Error(error.description))
    }
  }

  /// - Throws: When libcurl or a thread is missing.
  private init(_ account: S3Account) throws(CurlError) {
    self.account = account
    client = try S3Client(account, logger: Logger(label: "s3") { _ in SwiftLogNoOpLogHandler() })
    key = account.prefix + Self.name + SecureRandom.hex(byteCount: 8)
  }

  private func problem() -> String? {
    defer { client.stop() }
    var put = S3Request(.put, key)
    put.body = content
    if case .failure(let error) = answer(to: put) { return explain(error, step: "put") }
    let difference = read()
    var removal = S3Request(.delete, key)
    removal.expected = [200, 204]
    guard case .failure(let error) = answer(to: removal) else { return difference }
    return difference ?? explain(error, step: "removed")
  }

  private func read() -> String? {
    var request = S3Request(.get, key)
    request.range = 0..<Int64(content.count)
    request.expected = [206]
    switch answer(to: request) {
    case .success(let response):
      return response.body == content ? nil : "an object was read back otherwise than it was put"
    case .failure(let error): return explain(error, step: "read")
    }
  }

  private func missingCount(of ids: [String]) -> Result<Int, S3Error> {
    defer { client.stop() }
    var count = 0
    // A failing bucket is not queried for each file.
    for group in [ids.prefix(1), ids.dropFirst()] {
      for answer in group.map(search) {
        switch answer.wait() {
        case .success(let response): count += response.status == 404 ? 1 : 0
        case .failure(let error): return .failure(error)
        }
      }
    }
    return .success(count)
  }

  private func search(_ id: String) -> PendingAnswer {
    var request = S3Request(.head, account.prefix + id)
    request.expected = [200, 404]
    return begin(request)
  }

  private func explain(_ error: S3Error, step: String) -> String {
    let diagnosis = S3Diagnosis(
      bucketURL: account.bucketURL, region: account.region,
      now: SystemClock.unixMilliseconds / 1_000)
    return diagnosis.sentence(error, step: step)
  }

  private func answer(to request: S3Request) -> Result<S3Response, S3Error> {
    begin(request).wait()
  }

  private func begin(_ request: S3Request) -> PendingAnswer {
    var request = request
    request.patience = .seconds(Self.patience)
    let answer = PendingAnswer()
    client.send(request) { answer.take($0) }
    return answer
  }
}

/// The answer to a request, for which a thread waits.
private final class PendingAnswer: Sendable {
  private let result = Mutex<Result<S3Response, S3Error>>(.failure(.closed))
  private let isThere = DispatchSemaphore(value: 0)

  func take(_ result: Result<S3Response, S3Error>) {
    self.result.withLock { $0 = result }
    isThere.signal()
  }

  func wait() -> Result<S3Response, S3Error> {
    isThere.wait()
    return result.withLock { $0 }
  }
}
