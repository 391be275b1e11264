import Channels
import ParleyProtocol
import TestSupport
import Testing
import Uploads

@testable import Store

@Suite("Thumbnails of files", .onEachDatabase, .onOwnThreads)
struct ThumbnailTests {
  /// A store whose notes of removed files stay.
  private static func store() async throws -> Store {
    var options = StoreOptions()
    options.files = try HoldingDepot(in: TemporaryDirectory())
    return try await Fixture(options: options).store
  }

  private static let fileID = String(repeating: "a", count: 32)
  private static let small = ThumbnailSize(maxWidth: 10, maxHeight: 10)
  private static let large = ThumbnailSize(maxWidth: 90, maxHeight: 90)

  private static func thumbnail(_ bounds: ThumbnailSize, _ contentID: String) -> FileThumbnail {
    FileThumbnail(
      bounds: bounds, contentID: contentID, type: "image/png", size: 7, width: 5, height: 4)
  }

  private static let file = FileRecord(id: fileID, name: "a.png", type: "image/png", size: 100)

  private static func note(in store: Store) async throws {
    try await store.perform(
      FileNote(file, of: "ann", at: 1_000, expiresAt: 2_000, secretHash: [1]))
  }

  private static func add(
    _ thumbnails: [FileThumbnail], failure: String? = nil, in store: Store
  ) async throws -> FileThumbnails? {
    try await store.perform(ThumbnailAddition(file, thumbnails, failure: failure, at: 1_000))
  }

  private static func removed(in store: Store) async throws -> [String] {
    try await store.read { transaction in
      try transaction.connection.all("SELECT file_id FROM removed_files ORDER BY file_id", []) {
        $0[0] as String
      }
    }
  }

  @Test("thumbnails are found with their file, and read like it")
  func areFound() async throws {
    let store = try await Self.store()
    try await Self.note(in: store)
    let made = Self.thumbnail(Self.small, "c1")
    #expect(try await Self.add([made], in: store)?.made == [made])
    #expect(try await store.perform(ThumbnailsLookup(Self.fileID))?.thumbnails.made == [made])
    #expect(
      try await store.perform(UploadsLookup([Self.fileID])).values.first?.thumbnails.made == [made])
    let lookup = FileAccessLookup(Self.fileID, within: Self.small, by: "")
    let found = try await store.perform(lookup).thumbnail
    #expect(found?.id == "c1" && found?.size == 7 && found?.type == "image/png")
    let absent = FileAccessLookup(Self.fileID, within: Self.large, by: "")
    #expect(try await store.perform(absent).file == nil)
    #expect(try await store.usage(of: "ann").byteCount == 107)
    #expect(try await store.usage().byteCount == 107)
  }

  @Test("a thumbnail that two servers make at once is stored once")
  func keepsTheFirst() async throws {
    let store = try await Self.store()
    try await Self.note(in: store)
    _ = try await Self.add([Self.thumbnail(Self.small, "c1")], in: store)
    let both = [Self.thumbnail(Self.small, "c2"), Self.thumbnail(Self.large, "c3")]
    let all = try await Self.add(both, failure: "failed", in: store)
    #expect(all?.made.map(\.contentID) == ["c1", "c3"] && all?.failure == "failed")
    #expect(try await Self.removed(in: store) == ["c2"])
  }

  @Test("a file has at most twelve thumbnails, and the bytes of further ones are removed")
  func keepsTwelve() async throws {
    let store = try await Self.store()
    try await Self.note(in: store)
    func some(_ sides: ClosedRange<Int>) -> [FileThumbnail] {
      sides.map { side in
        Self.thumbnail(ThumbnailSize(maxWidth: side, maxHeight: side), "c\(10 + side)")
      }
    }
    #expect(try await Self.add(some(1...9), in: store)?.made.count == 9)
    let all = try await Self.add(some(9...14), in: store)
    #expect(all?.made.map(\.bounds.maxWidth) == Array(1...12))
    #expect(try await Self.removed(in: store) == ["c19", "c23", "c24"])
    #expect(all?.missing(of: [ThumbnailSize(maxWidth: 99, maxHeight: 99)]) == [])
  }

  @Test("a disk with only its reserve left accepts no thumbnails")
  func keepsTheReserve() throws {
    let directory = TemporaryDirectory()
    try DataDirectory.create(directory.path)
    let roomy = try DirectoryDepot(dataDirectory: directory.path)
    #expect(roomy.hasRoom(for: 1) && !roomy.hasRoom(for: .max))
    let full = try DirectoryDepot(dataDirectory: directory.path, reserve: .max)
    #expect(!full.hasRoom(for: 1))
    for depot in [roomy, full] { depot.close() }
  }

  @Test("unencrypted thumbnails are not kept of a file that was encrypted meanwhile")
  func areStoredAsTheirFile() async throws {
    let store = try await Self.store()
    try await Self.note(in: store)
    let seal = FileSeal(masterKeyID: "k", keys: [1])
    _ = try await store.perform(FileConversionStart(Self.fileID, seal, .all))
    #expect(try await Self.add([Self.thumbnail(Self.small, "c1")], in: store)?.made == [])
    #expect(try await Self.removed(in: store) == ["c1"])
    var sealed = Self.file
    sealed.seal = seal
    let made = Self.thumbnail(Self.small, "c2")
    #expect(
      try await store.perform(ThumbnailAddition(sealed, [made], failure: nil, at: 1_000))?.made
        == [made])
    let lookup = FileAccessLookup(Self.fileID, within: Self.small, by: "")
    #expect(try await store.perform(lookup).thumbnail?.seal?.isUnderWay == true)
  }

  @Test("the bytes of a failed addition are removed, unless the thumbnail was stored after all")
  func areWithdrawn() async throws {
    let store = try await Self.store()
    try await Self.note(in: store)
    let (kept, lost) = (Self.thumbnail(Self.small, "c1"), Self.thumbnail(Self.large, "c2"))
    _ = try await Self.add([kept], in: store)
    try await store.perform(ThumbnailWithdrawal([kept, lost], of: Self.fileID))
    #expect(try await Self.removed(in: store) == ["c2"])
    #expect(try await store.perform(ThumbnailsLookup(Self.fileID))?.thumbnails.made == [kept])
  }

  @Test("thumbnails are removed with their file, and none is kept of a removed file")
  func goWithTheFile() async throws {
    let store = try await Self.store()
    try await Self.note(in: store)
    _ = try await Self.add([Self.thumbnail(Self.small, "c1")], in: store)
    #expect(try await store.perform(UnusedFileRemoval(Self.fileID)) == .removed)
    #expect(try await Self.add([Self.thumbnail(Self.large, "c2")], in: store) == nil)
    #expect(try await store.perform(ThumbnailsLookup(Self.fileID)) == nil)
    #expect(try await Self.removed(in: store) == [Self.fileID, "c1", "c2"])
  }
}
