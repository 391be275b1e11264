import TestSupport
import Testing

@testable import Store

@Suite("Hints to the operator in S3 responses", .onOwnThreads)
struct S3DiagnosisTests {
  private let diagnosis = S3Diagnosis(
    bucketURL: "http://s3.example/files", region: "eu-north-1", now: 784_111_777)

  private func sentence(_ answer: S3Error.Answer) -> String {
    diagnosis.sentence(S3Error("PUT x: status \(answer.status)", answer), step: "put")
  }

  @Test(
    "a code names the faulty setting",
    arguments: [
      ("NoSuchBucket", 404, "no bucket at http://s3.example/files"),
      ("InvalidAccessKeyId", 403, "files.s3_key"),
      ("SignatureDoesNotMatch", 403, "files.s3_secret is not the secret"),
      ("AccessDenied", 403, "no object can be put"),
      ("RequestTimeTooSkewed", 403, "the clock of this machine"),
      ("SlowDown", 503, "PUT x: status 503"),
    ])
  func codes(code: String, status: Int, words: String) {
    #expect(sentence(.init(status: status, code: code)).contains(words))
  }

  @Test(
    "the region of the bucket is named if the response contains it",
    arguments: [(400, "AuthorizationHeaderMalformed"), (301, "PermanentRedirect"), (307, nil)])
  func regions(status: Int, code: String?) {
    let named = sentence(.init(status: status, code: code, region: "eu-west-1"))
    #expect(named.contains(#"in region "eu-west-1", not eu-north-1"#), "\(named)")
    let same = sentence(.init(status: status, code: code, region: "eu-north-1"))
    #expect(same.contains("is not in region eu-north-1"), "\(same)")
    #expect(sentence(.init(status: status, code: code)) == same)
  }

  @Test("clock skew is reported as the reason, whatever the code")
  func clocks() {
    let late = sentence(
      .init(status: 403, code: "AccessDenied", date: "Sun, 06 Nov 1994 09:49:37 GMT"))
    #expect(late.contains("is 3600 s behind the server's"), "\(late)")
    let early = sentence(.init(status: 403, date: "Sun, 06 Nov 1994 08:33:00 GMT"))
    #expect(early.contains("is 997 s ahead of the server's"), "\(early)")
    let near = sentence(
      .init(status: 403, code: "InvalidAccessKeyId", date: "Sun, 06 Nov 1994 08:40:00 GMT"))
    #expect(near.contains("files.s3_key"), "\(near)")
  }

  @Test("a failure without a response keeps its message")
  func failures() {
    let error = S3Error("PUT x: Could not resolve host: s3.example")
    #expect(diagnosis.sentence(error, step: "put") == error.description)
  }
}

@Suite("A trial of a bucket", .onOwnThreads)
struct S3ProbeTests {
  private let server: ObjectServer

  init() throws { server = try ObjectServer() }

  private func problem() -> String? {
    S3Probe.problem(
      of: S3Account(bucketURL: server.url, region: "r", prefix: "p/", key: "k", secret: "hidden"))
  }

  @Test("puts, reads and removes one object of its own")
  func works() {
    #expect(problem() == nil)
    #expect(server.requests.map(\.method) == ["PUT", "GET", "DELETE"])
    #expect(server.requests.allSatisfy { $0.path.hasPrefix("/bucket/p/parley-check-") })
    #expect(server.objects.isEmpty)
  }

  @Test("names the refused step, and still removes the object")
  func refusals() throws {
    server.play { request in
      guard request.method == "GET" else { return nil }
      return .bytes(
        ObjectServer.response(
          403, "<Error><Code>AccessDenied</Code></Error>", "Connection: close\r\n"))
    }
    let text = try #require(problem())
    #expect(text.contains("no object can be read"), "\(text)")
    #expect(!text.contains("hidden"))
    #expect(server.objects.isEmpty)
  }

  private func missingCount(_ ids: [String]) -> Result<Int, S3Error> {
    S3Probe.missingCount(
      of: ids,
      in: S3Account(bucketURL: server.url, region: "r", prefix: "p/", key: "k", secret: "hidden"))
  }

  @Test("counts the missing files")
  func missingFiles() throws {
    server.play { request in
      let isThere = request.path != "/bucket/p/b"
      return .bytes(
        "HTTP/1.1 \(isThere ? 200 : 404) x\r\nContent-Length: 3\r\nConnection: close\r\n\r\n")
    }
    #expect(try missingCount(["a", "b", "c"]).get() == 1)
    #expect(try missingCount(["b"]).get() == 1)
    #expect(try missingCount([]).get() == 0)
    #expect(server.requests.allSatisfy { $0.method == "HEAD" })
  }

  @Test("stops when a bucket does not answer whether it has a file")
  func hiddenFiles() {
    server.play { _ in
      .bytes("HTTP/1.1 403 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    #expect(throws: S3Error.self) { try missingCount(["a", "b", "c"]).get() }
    #expect(Set(server.requests.map(\.path)) == ["/bucket/p/a"])
  }

  @Test("detects content that differs from what was written")
  func otherContent() {
    server.play { request in
      guard request.method == "GET" else { return nil }
      return .bytes(
        "HTTP/1.1 206 x\r\nContent-Length: 1\r\nContent-Range: bytes 0-0/1\r\nConnection: close\r\n\r\nx"
      )
    }
    #expect(problem()?.contains("read back otherwise") == true)
  }
}
