import Crypto
import Logging
import Reactor
@testable import Store
import TestPeers
import TestSupport
import Testing
import Uploads

@Suite("Files in a bucket", .onOwnThreads)
struct S3DepotTests {
  private static let id = "0123456789abcdef0123456789abcdef"
  private let server: ObjectServer
  private let directory: TemporaryDirectory
  private let depot: S3Depot

  init() throws {
    server = try ObjectServer()
    directory = TemporaryDirectory()
    depot = try S3Depot(
      S3Account(bucketURL: server.url, region: "r", prefix: "p/", key: "k", secret: "hidden"),
      spoolingTo: DirectoryDepot(dataDirectory: directory.path), logger: Logger(label: "s3"))
  }

  private func write(_ bytes: [UInt8], to upload: any FileUpload) async throws {
    try await withCheckedThrowingContinuation { continuation in
      upload.write(bytes) { continuation.resume(with: $0) }
    }
  }

  private func complete(_ upload: any FileUpload) async throws {
    try await withCheckedThrowingContinuation { continuation in
      upload.complete { continuation.resume(with: $0) }
    }
  }

  private func read(_ range: Range<Int64>) async throws -> FileStretch {
    guard case .remote(let file) = depot.open(Self.id) else { throw TestFailure("a local file") }
    return try await withCheckedThrowingContinuation { continuation in
      _ = file.read(range) { continuation.resume(with: $0) }
    }
  }

  @Test("a small file is one object, signed with its digest")
  func small() async throws {
    let upload = depot.beginUpload(Self.id)
    try await write([1, 2], to: upload)
    try await write([3], to: upload)
    #expect(upload.heldByteCount == 3)
    try await complete(upload)
    #expect(server.objects == ["/bucket/p/" + Self.id: [1, 2, 3]])
    let head = try #require(server.requests.first?.head)
    #expect(head.contains("Authorization: AWS4-HMAC-SHA256 Credential=k/"))
    #expect(head.contains("/r/s3/aws4_request"))
    #expect(
      head.contains(
        "x-amz-content-sha256: 039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81"))
    #expect(!head.contains("hidden"))
    let stretch = try await read(1..<3)
    #expect(stretch.bytes == [2, 3] && stretch.fileByteCount == 3)
    depot.close()
  }

  @Test("a large file is sent in parts as it arrives, with little of it in memory")
  func parts() async throws {
    let upload = depot.beginUpload(Self.id)
    let piece = [UInt8](repeating: 7, count: 1_000_000)
    for _ in 0..<13 {
      try await write(piece, to: upload)
      #expect(upload.heldByteCount < S3Upload.partByteCount)
    }
    try await complete(upload)
    #expect(upload.heldByteCount == 0)
    #expect(server.objects.values.map(\.count) == [13_000_000])
    let puts = server.requests.filter { $0.method == "PUT" }
    #expect(puts.map(\.query) == (1...3).map { "partNumber=\($0)&uploadId=u%261" })
    #expect(puts.map(\.body.count) == [6_000_000, 6_000_000, 1_000_000])
    let join = String(decoding: try #require(server.requests.last).body, as: UTF8.self)
    #expect(join.contains("<PartNumber>3</PartNumber><ETag>\"part3\"</ETag>"))
    #expect(server.uploads.isEmpty)
    depot.close()
  }

  @Test("an upload that is aborted or released removes its parts")
  func discards() async throws {
    for isLetGo in [false, true] {
      var upload: (any FileUpload)? = depot.beginUpload(Self.id)
      let piece = [UInt8](repeating: 7, count: 6_000_000)
      if let upload { try await write(piece, to: upload) }
      #expect(server.uploads.count == 1)
      if !isLetGo { upload?.discard() }
      upload = nil
      try await Deadline.standard.wait(for: "the end of the parts") { server.uploads.isEmpty }
    }
    #expect(server.objects.isEmpty)
    depot.close()
  }

  @Test(
    "a response that is not the requested range fails",
    arguments: [
      ObjectServer.response(200, "abc"), ObjectServer.response(206, "ab"),
      ObjectServer.response(206, "abc"), ObjectServer.response(403), "HTTP/1.1 206\r\n",
      ObjectServer.response(301, "", "Location: http://127.0.0.1:1/\r\n"),
      ObjectServer.response(206, String(repeating: "a", count: 200_000)),
      ObjectServer.response(404, "<Error><Code>NoSuchBucket</Code></Error>"),
    ])
  func hostile(answer: String) async throws {
    server.play { _ in .bytes(answer) }
    await #expect {
      _ = try await read(0..<3)
    } throws: {
      guard case .unavailable = $0 as? FileReadError else { return false }
      return true
    }
    depot.close()
  }

  @Test("a missing object is distinguished from a failure")
  func missing() async throws {
    await #expect(throws: FileReadError.missing) { _ = try await read(0..<3) }
    depot.close()
  }

  @Test("a transient failure is hidden by retries")
  func unsteady() async throws {
    server.play { [server] _ in
      server.requests.count < 3 ? .bytes(ObjectServer.response(503)) : nil
    }
    let upload = depot.beginUpload(Self.id)
    try await write([1], to: upload)
    try await complete(upload)
    #expect(server.requests.count == 3 && server.objects.count == 1)
    depot.close()
  }

  @Test("a part that is refused fails the upload for good, and leaves nothing")
  func refused() async throws {
    server.play { $0.query.hasPrefix("partNumber") ? .bytes(ObjectServer.response(403)) : nil }
    let upload = depot.beginUpload(Self.id)
    let piece = [UInt8](repeating: 7, count: 6_000_000)
    await #expect(throws: S3Error.self) { try await write(piece, to: upload) }
    await #expect(throws: S3Error.self) { try await write([1], to: upload) }
    await #expect(throws: S3Error.self) { try await complete(upload) }
    #expect(upload.heldByteCount == 0)
    try await Deadline.standard.wait(for: "the end of the parts") { server.uploads.isEmpty }
    depot.close()
  }

  @Test("a failure removes the object of a new file, and never that of a replaced file")
  func keepsWhatIsReplaced() async throws {
    let first = depot.beginUpload(Self.id)
    try await write([1, 2], to: first)
    try await complete(first)
    server.play { $0.method == "PUT" ? .bytes(ObjectServer.response(403)) : nil }
    let second = depot.beginReplacement(of: Self.id)
    try await write([3], to: second)
    await #expect(throws: S3Error.self) { try await complete(second) }
    // Requests are sent in their order: a removal that was asked for would come first.
    let other = String(Self.id.reversed())
    let refused = depot.beginUpload(other)
    try await write([4], to: refused)
    await #expect(throws: S3Error.self) { try await complete(refused) }
    try await Deadline.standard.wait(for: "a removal") {
      server.requests.contains { $0.method == "DELETE" }
    }
    let removed = server.requests.filter { $0.method == "DELETE" }.map(\.path)
    #expect(removed == ["/bucket/p/" + other])
    #expect(server.objects == ["/bucket/p/" + Self.id: [1, 2]])
    depot.close()
  }

  @Test("an object stays when its replacement is refused, and when it was encrypted meanwhile")
  func replacement() async throws {
    let upload = depot.beginUpload(Self.id)
    try await write([1, 2, 3], to: upload)
    try await complete(upload)
    server.play { $0.method == "PUT" ? .bytes(ObjectServer.response(403)) : nil }
    let refused = depot.beginReplacement(of: Self.id)
    try await write([4], to: refused)
    await #expect(throws: S3Error.self) { try await complete(refused) }
    server.play { _ in nil }
    let files = try FileStore(depot)
    func encrypt() async throws {
      try await withCheckedThrowingContinuation { continuation in
        files.encrypt(Self.id, with: SymmetricKey(), byteCount: 3) {
          continuation.resume(with: $0)
        }
      }
    }
    try await encrypt()
    let sealed = server.objects
    #expect(sealed.values.map(\.count) != [3])
    await #expect(throws: FileReadError.self) { try await encrypt() }
    #expect(server.objects == sealed)
    files.close()
    #expect(!server.requests.contains { $0.method == "DELETE" })
  }

  @Test("pending operations fail when the depot is closed")
  func closes() async throws {
    server.play { _ in .silence }
    let upload = depot.beginUpload(Self.id)
    try await write([1], to: upload)
    let completed = Task { try await complete(upload) }
    try await Deadline.standard.wait(for: "a request") { !server.requests.isEmpty }
    depot.close()
    await #expect(throws: S3Error.self) { try await completed.value }
    await #expect(throws: S3Error.self) { try await complete(depot.beginUpload(Self.id)) }
  }

  @Test("removal is retried until the bucket works")
  func removes() async throws {
    server.play { [server] _ in
      server.requests.count { $0.method == "DELETE" } < 4
        ? .bytes(ObjectServer.response(500)) : nil
    }
    try await withCheckedThrowingContinuation { continuation in
      depot.remove([Self.id, Self.id]) { continuation.resume(with: $0) }
    }
    #expect(server.requests.filter { $0.method == "DELETE" }.count >= 5)
    depot.close()
  }
}
