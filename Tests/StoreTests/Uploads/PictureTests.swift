import Channels
import ParleyProtocol
import TestSupport
import Testing
import Uploads

@testable import Store

@Suite("Pictures of channels and users", .onEachDatabase, .onOwnThreads)
struct PictureTests {
  @Test("a picture is kept by its channel or user, and released when it is replaced")
  func isPicture() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    for number in 1...2 {
      try await UploadSamples.complete(UploadSamples.upload(number), in: store)
      #expect(try await store.perform(PictureClaim(UploadSamples.id(number))))
    }
    func setCover(_ url: String) async throws {
      _ = try await store.write {
        try $0.setFields("lobby", ChannelChanges(coverURL: url), at: 1_000)
      }
    }
    try await setCover("https://a/files/\(UploadSamples.id(1))/a.png")
    #expect(try await store.perform(UnusedFileRemoval(UploadSamples.id(1))) == .inUse)
    _ = try await store.perform(
      ProfileChange("ann", profileURL: "https://a/files/\(UploadSamples.id(1))/a.png", at: 1))
    try await setCover("https://a/files/\(UploadSamples.id(2))/a.png")
    #expect(try await store.perform(FileLookup(UploadSamples.id(1))) != nil)
    _ = try await store.perform(ProfileChange("ann", profileURL: "", at: 1))
    #expect(try await store.perform(FileLookup(UploadSamples.id(1))) == nil)
    #expect(try await store.perform(UnusedFileRemoval(UploadSamples.id(2))) == .inUse)
    _ = try await store.write { try $0.deleteChannel("lobby", at: 2_000) }
    #expect(try await store.perform(FileLookup(UploadSamples.id(2))) == nil)
  }

  @Test("the address of a claimed picture is composed when read, and a foreign one is not")
  func composesPictures() async throws {
    let fixture = try await Fixture(
      options: StoreOptions(fileURL: { stored, id in "https://shown/\(id)\(stored.suffix(6))" }))
    let store = fixture.store
    for number in 1...2 {
      try await UploadSamples.complete(UploadSamples.upload(number), in: store)
      #expect(try await store.perform(PictureClaim(UploadSamples.id(number))))
    }
    let foreign = "https://b/files/\(UploadSamples.id(3))/c.png"
    _ = try await store.write {
      _ = try $0.addOperators("lobby", ["ann", "bob"], at: 1_000)
      _ = try $0.setFields(
        "lobby", ChannelChanges(coverURL: "https://a/files/\(UploadSamples.id(1))/a.png"), at: 1_000
      )
    }
    let shown = "https://shown/\(UploadSamples.id(2))/b.png"
    let changed = try await store.perform(
      ProfileChange("ann", profileURL: "https://a/files/\(UploadSamples.id(2))/b.png", at: 1))
    _ = try await store.perform(ProfileChange("bob", profileURL: foreign, at: 1))
    #expect(changed.user.profileURL.hasSuffix("/b.png"))
    #expect(try await store.perform(AccountLookup("ann"))?.user.profileURL == shown)
    let state = try #require(try await store.read { try $0.channel("lobby") })
    #expect(state.channel.coverURL == "https://shown/\(UploadSamples.id(1))/a.png")
    #expect(state.channel.operators.map(\.profileURL) == [shown, foreign])
    // What is read may be written back.
    _ = try await store.perform(ProfileChange("ann", nickname: "Ann B", at: 2))
    #expect(
      try await store.perform(AccountLookup("ann"))?.user.profileURL.hasSuffix("/b.png") == true)
  }

  @Test("a claim is released, unless a channel or a user has the picture")
  func isNoPictureAnyMore() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    let seal = FileSeal(masterKeyID: "k", keys: [1])
    for number in 1...2 {
      try await UploadSamples.complete(UploadSamples.upload(number), in: store)
      #expect(try await store.perform(PictureClaim(UploadSamples.id(number))))
    }
    _ = try await store.write {
      try $0.setFields(
        "lobby", ChannelChanges(coverURL: "https://a/files/\(UploadSamples.id(2))/a.png"), at: 1_000
      )
    }
    for number in 1...2 { try await store.perform(PictureRelease(UploadSamples.id(number))) }
    let refused = try await store.perform(FileConversionStart(UploadSamples.id(2), seal, .unsent))
    #expect(refused == .picture)
    guard
      case .begun = try await store.perform(FileConversionStart(UploadSamples.id(1), seal, .unsent))
    else {
      Issue.record("the file is still a picture")
      return
    }
  }
}
