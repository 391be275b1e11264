import Crypto
import Logging
import Reactor
@testable import Store
import TestPeers
import TestSupport
import Testing
import Uploads

/// Several servers with a disk each, and one bucket.
@Suite(.onOwnThreads)
struct UploadSpoolTests {
  private static let id = "0123456789abcdef0123456789abcdef"
  private static let object = "/bucket/p/" + id

  private let bucket: ObjectServer
  private let disks: [TemporaryDirectory]
  private let servers: [S3Depot]

  init() throws {
    bucket = try ObjectServer()
    disks = [TemporaryDirectory(), TemporaryDirectory()]
    servers = try [Self.start(bucket, disks[0]), Self.start(bucket, disks[1])]
  }

  private static func start(_ bucket: ObjectServer, _ disk: TemporaryDirectory) throws -> S3Depot {
    let depot = try S3Depot(
      S3Account(bucketURL: bucket.url, region: "r", prefix: "p/", key: "k", secret: "hidden"),
      spoolingTo: DirectoryDepot(dataDirectory: disk.path), logger: Logger(label: "s3"))
    try depot.prepare()
    return depot
  }

  private func close() { for server in servers { server.close() } }

  private var segmentCount: Int {
    bucket.objects.keys.count { $0.hasPrefix("/bucket/p/partial/" + Self.id) }
  }

  /// The objects that were read, whole or in ranges.
  private var readCount: Int {
    bucket.requests.count { $0.method == "GET" && $0.query.isEmpty }
  }

  /// One request: writes a piece and makes it durable.
  private func store(
    _ piece: [UInt8], at offset: Int64, of size: Int64 = 100, term: Int64, on server: S3Depot,
    sealing: PartialSealing? = nil
  ) async throws -> PartialProgress {
    let request = PartialFileRequest(
      id: Self.id, term: term, offset: offset, size: size, sealing: sealing)
    let file = try await server.open(request)
    try await file.write(piece)
    return try await file.synchronize()
  }

  /// The last request: writes the rest, completes the file and tidies up.
  private func finish(
    _ piece: [UInt8], at offset: Int64, of size: Int64, term: Int64, on server: S3Depot,
    sealing: PartialSealing? = nil
  ) async throws {
    let request = PartialFileRequest(
      id: Self.id, term: term, offset: offset, size: size, sealing: sealing)
    let file = try await server.open(request)
    try await file.write(piece)
    try await file.complete()
    file.removeRemains()
  }

  @Test
  func `Any server goes on where another has stopped, and nothing stays beside the file`()
    async throws
  {
    #expect(try await store([1, 2, 3], at: 0, of: 9, term: 1, on: servers[0]).offset == 3)
    #expect(try await store([4, 5], at: 3, of: 9, term: 2, on: servers[1]).offset == 5)
    #expect(try await store([6], at: 5, of: 9, term: 3, on: servers[0]).storedByteCount == 6)
    try await finish([7, 8, 9], at: 6, of: 9, term: 4, on: servers[1])
    try await Deadline.standard.wait(for: "the removal of segments") { segmentCount == 0 }
    #expect(bucket.objects == [Self.object: [1, 2, 3, 4, 5, 6, 7, 8, 9]])
    close()
  }

  @Test
  func `A server that continues its own upload reads nothing back, a restarted one does`()
    async throws
  {
    for term in 1...5 as ClosedRange<Int64> {
      _ = try await store([UInt8(term)], at: term - 1, of: 9, term: term, on: servers[0])
    }
    #expect(readCount == 0)
    servers[0].close()
    let restarted = try Self.start(bucket, disks[0])
    try await finish([6, 7, 8, 9], at: 5, of: 9, term: 6, on: restarted)
    #expect(readCount > 0)
    #expect(bucket.objects[Self.object] == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    restarted.close()
    servers[1].close()
  }

  @Test
  func `What a server had of an upload that was begun anew elsewhere does not come back`()
    async throws
  {
    _ = try await store([1, 1, 1, 1], at: 0, of: 6, term: 1, on: servers[0])
    _ = try await store([2, 2, 2], at: 0, of: 6, term: 2, on: servers[1])
    try await finish([3, 3, 3], at: 3, of: 6, term: 3, on: servers[0])
    #expect(bucket.objects[Self.object] == [2, 2, 2, 3, 3, 3])
    close()
  }

  @Test
  func `A request that has lost its claim does not reach into its successor's file`()
    async throws
  {
    _ = try await store([1, 1], at: 0, of: 6, term: 1, on: servers[0])
    let late = try await servers[0].open(
      PartialFileRequest(id: Self.id, term: 2, offset: 2, size: 6))
    try await late.write([2, 2])
    _ = try await store([3, 3], at: 2, of: 6, term: 3, on: servers[1])
    _ = try await late.synchronize()
    try await finish([4, 4], at: 4, of: 6, term: 4, on: servers[0])
    #expect(bucket.objects[Self.object] == [1, 1, 3, 3, 4, 4])
    close()
  }

  @Test
  func `A request that fails to complete a file leaves that of its successor alone`() async throws {
    bucket.play { $0.path == Self.object ? .silence : nil }
    let first = Task {
      try await finish([1, 1, 1, 1, 1, 1], at: 0, of: 6, term: 1, on: servers[0])
    }
    try await Deadline.standard.wait(for: "the object") {
      bucket.requests.contains { $0.path == Self.object }
    }
    _ = try await store([2, 2, 2, 2, 2], at: 0, of: 6, term: 2, on: servers[0])
    close()
    await #expect(throws: PartialFileFailure.storage) { try await first.value }
    let copy = try OpenFile(readingFrom: disks[0].path + "/partial/" + Self.id)
    #expect(try copy.read(from: 0, atMost: 10) == [2, 2, 2, 2, 2])
  }

  @Test
  func `An encrypted upload goes on elsewhere, and nothing of it is in the clear`() async throws {
    let source = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    let (keys, tailKey) = (FileKeys(), SymmetricKey())
    var sealing = PartialSealing(keys: keys, tailKey: tailKey, tail: nil)
    var offset: Int64 = 0
    for (index, end) in [30, 100_001, 100_002, 250_000].enumerated() {
      let progress = try await store(
        Array(source[Int(offset)..<end]), at: offset, of: 300_000, term: Int64(index + 1),
        on: servers[index % 2], sealing: sealing)
      #expect(progress.offset == Int64(end))
      offset = progress.offset
      sealing = PartialSealing(keys: keys, tailKey: tailKey, tail: progress.rest?.tail)
    }
    let run = Array(source[5_000..<5_064])
    #expect(bucket.objects.values.allSatisfy { $0.firstRange(of: run) == nil })
    try await finish(
      Array(source[Int(offset)...]), at: offset, of: 300_000, term: 9, on: servers[0],
      sealing: sealing)
    let stored = try #require(bucket.objects[Self.object])
    let opener = try FileOpener(
      keys: keys, header: Array(stored.prefix(SealedLayout.headerByteCount)),
      plainByteCount: 300_000)
    var stretch = opener.stretch(0..<300_000)
    let range = stretch.storedRange
    let opened = try stretch.open(Array(stored[Int(range.lowerBound)..<Int(range.upperBound)]))
    #expect(opened == source)
    close()
  }

  @Test
  func `Progress that the bucket does not have is none`() async throws {
    _ = try await store([1, 2], at: 0, of: 6, term: 1, on: servers[0])
    bucket.play { $0.method == "PUT" ? .bytes(ObjectServer.response(403)) : nil }
    await #expect(throws: PartialFileFailure.storage) {
      _ = try await store([3], at: 2, of: 6, term: 2, on: servers[0])
    }
    bucket.play { $0.query.isEmpty ? nil : .bytes(ObjectServer.response(403)) }
    await #expect(throws: PartialFileFailure.storage) {
      _ = try await store([3], at: 2, of: 6, term: 3, on: servers[1])
    }
    bucket.play {
      $0.method == "GET" && $0.query.isEmpty ? .bytes(ObjectServer.response(403)) : nil
    }
    await #expect(throws: PartialFileFailure.storage) {
      _ = try await store([3], at: 2, of: 6, term: 4, on: servers[1])
    }
    bucket.play { _ in nil }
    try await finish([3, 4, 5, 6], at: 2, of: 6, term: 5, on: servers[1])
    #expect(bucket.objects[Self.object] == [1, 2, 3, 4, 5, 6])
    close()
  }

  @Test
  func `A bucket that has lost a segment puts the client back to the beginning`() async throws {
    _ = try await store([UInt8](repeating: 1, count: 50), at: 0, term: 1, on: servers[0])
    _ = try await store([2, 2], at: 50, term: 2, on: servers[0])
    bucket.remove { $0.hasSuffix("/1-0-50") }
    await #expect(throws: PartialFileFailure.shrunk(to: 0)) {
      _ = try await store([3], at: 52, term: 3, on: servers[1])
    }
    close()
  }

  @Test
  func `An end that the bucket refuses is tried again, on any server`() async throws {
    _ = try await store([1, 2], at: 0, of: 3, term: 1, on: servers[0])
    bucket.play { $0.method == "PUT" ? .bytes(ObjectServer.response(403)) : nil }
    for server in servers {
      await #expect(throws: PartialFileFailure.storage) {
        try await finish([3], at: 2, of: 3, term: 2, on: server)
      }
    }
    bucket.play { _ in nil }
    try await finish([3], at: 2, of: 3, term: 3, on: servers[0])
    try await Deadline.standard.wait(for: "the removal of segments") { segmentCount == 0 }
    #expect(bucket.objects == [Self.object: [1, 2, 3]])
    #expect(!bucket.requests.contains { $0.method == "DELETE" && $0.path == Self.object })
    close()
  }

  @Test
  func `An upload that is given up takes its segments along`() async throws {
    for term in 1...6 as ClosedRange<Int64> {
      let count = 64 >> term
      let offset: Int64 = 64 - (128 >> term)
      _ = try await store(
        [UInt8](repeating: 1, count: count), at: offset, term: term, on: servers[0])
    }
    #expect(segmentCount > 2)
    let ids = try await withCheckedThrowingContinuation { continuation in
      servers[1].suspects(after: nil) { continuation.resume(with: $0.map(\.ids)) }
    }
    #expect(ids == [Self.id])
    try await withCheckedThrowingContinuation { continuation in
      servers[1].remove([Self.id]) { continuation.resume(with: $0) }
    }
    try await Deadline.standard.wait(for: "the removal of all") { bucket.objects.isEmpty }
    close()
  }

  @Test
  func `A file that begins anew leaves nothing of before`() async throws {
    _ = try await store([1, 1, 1], at: 0, term: 1, on: servers[0])
    _ = try await store([2, 2], at: 0, term: 2, on: servers[1])
    try await Deadline.standard.wait(for: "the removal of segments") { segmentCount == 1 }
    #expect(bucket.objects.keys.contains { $0.hasSuffix("/2-0-2") })
    close()
  }

  @Test
  func `Segments of many uploads wait for each other`() async throws {
    bucket.play { $0.method == "PUT" ? .silence : nil }
    let pieces = [UInt8](repeating: 7, count: 9)
    let stores = (0..<12).map { index in
      Task {
        let id = String(repeating: "0", count: 30) + String(index + 10)
        let file = try await servers[0].open(
          PartialFileRequest(id: id, term: 1, offset: 0, size: 100))
        try await file.write(pieces)
        _ = try await file.synchronize()
      }
    }
    // A request without an answer is repeated after a while.
    func sentCount() -> Int { Set(bucket.requests.filter { $0.method == "PUT" }.map(\.path)).count }
    try await Deadline.standard.wait(for: "eight requests") { sentCount() >= 8 }
    close()
    for store in stores {
      await #expect(throws: PartialFileFailure.storage) { try await store.value }
    }
    #expect(sentCount() == 8)
  }
}

extension FileDepot {
  fileprivate func open(_ request: PartialFileRequest) async throws -> any PartialFile {
    try await withCheckedThrowingContinuation { continuation in
      continueUpload(request) { continuation.resume(with: $0) }
    }
  }
}

extension PartialFile {
  fileprivate func write(_ bytes: [UInt8]) async throws {
    try await withCheckedThrowingContinuation { continuation in
      write(bytes) { continuation.resume(with: $0) }
    }
  }

  fileprivate func synchronize() async throws -> PartialProgress {
    try await withCheckedThrowingContinuation { continuation in
      synchronize { continuation.resume(with: $0) }
    }
  }

  fileprivate func complete() async throws {
    try await withCheckedThrowingContinuation { continuation in
      complete { continuation.resume(with: $0) }
    }
  }
}
