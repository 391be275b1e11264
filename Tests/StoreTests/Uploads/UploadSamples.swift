import Channels
import ParleyProtocol
import Testing
import Uploads

@testable import Store

/// Uploads for tests.
enum UploadSamples {
  static let limits = UploadLimits(
    unfinished: 3, perSecond: 2, perMinute: 5, byteCount: 1_000)

  static func id(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  static func upload(
    _ number: Int, of userID: String = "ann", size: Int64 = 100, at time: Int64 = 1_000_000,
    expiresAt: Int64 = 2_000_000, requestID: String? = nil, message: String? = nil
  ) -> NewUpload {
    let record = UploadRecord(
      fileID: id(number), userID: userID, name: "a.txt", type: "text/plain", size: size,
      createdAt: time, expiresAt: expiresAt, base: "http://a", message: message)
    return NewUpload(
      record, secretHash: [UInt8(number)], sealedSecret: requestID.map { _ in [9, 9] },
      requestID: requestID)
  }

  @discardableResult
  static func create(
    _ upload: NewUpload, in store: Store, limits: UploadLimits = limits
  ) async throws -> UploadCreation.Outcome {
    try await store.perform(UploadCreation(upload, limits: limits))
  }

  /// Makes an upload that is complete.
  static func complete(
    _ upload: NewUpload, in store: Store, expiresAt: Int64 = 2_000_000
  ) async throws {
    let limits = UploadLimits(unfinished: 0, perSecond: 0, perMinute: 0, byteCount: 0)
    #expect(try await create(upload, in: store, limits: limits) == .created)
    var record = try #require(try await store.perform(UploadLookup(upload.record.fileID)))
    let term = try await store.perform(UploadClaim(record, from: 0, until: 2_000_000))
    record.term = try #require(term)
    #expect(
      try await store.perform(UploadCompletion(record, at: 1_000_000, expiresAt: expiresAt)))
  }

  static func send(_ id: Int64, _ number: Int, in fixture: Fixture) async throws {
    var message = fixture.message(id)
    message.type = .file
    message.file = MessageFile(id: Self.id(number), url: "https://a.example/")
    message.upload = FileRecord(id: Self.id(number), name: "a.txt", type: "", size: 100)
    try await fixture.store.append(message)
  }
}
