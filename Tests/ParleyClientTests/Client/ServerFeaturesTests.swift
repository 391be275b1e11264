import TestSupport
import Testing

@testable import ParleyClient

@Suite("The features of a server", .onOwnThreads)
struct ServerFeaturesTests {
  private func features(_ result: String) throws -> ServerFeatures {
    ServerFeatures(result: try AnswerReader.document(result.json))
  }

  @Test("are read, and unknown ones are ignored")
  func all() throws {
    let features = try features(
      """
      {"features":{"files":{"max_bytes":26214400,"tus":"1.0.0","base":"https://cdn.example"},
      "thumbnails":{"sizes":3,"types":["image/*","video/*"]},
      "translation":{"languages":["en","es"],"per_message":10},"previews":true,"search":true,
      "push":{"types":["web","pigeon","gcm"],"web_key":"B"},
      "groups":{"max_members":100,"max_super_members":7000,"receipts":50,"delivery":true,
      "typing":true}}}
      """)
    #expect(
      features
        == ServerFeatures(
          files: .init(maxBytes: 26_214_400, base: "https://cdn.example"),
          thumbnails: .init(maxSizes: 3, types: ["image/*", "video/*"]),
          translation: .init(languages: ["en", "es"], maxLanguagesPerMessage: 10),
          groups: .init(
            maxMembers: 100, maxSuperMembers: 7_000, maxReceiptMembers: 50,
            hasDeliveryReceipts: true),
          push: .init(types: [.web, .gcm], webKey: "B"), hasPreviews: true, hasSearch: true))
  }

  @Test(
    "are off when they are missing or malformed",
    arguments: [
      "{}", #"{"features":null}"#, #"{"features":[]}"#, #"{"features":{}}"#,
      #"{"features":{"files":true,"thumbnails":{"sizes":3},"translation":[],"previews":"yes","search":1}}"#,
      #"{"features":{"groups":true,"push":{"types":"web"}}}"#,
      #"{"features":{"files":{"max_bytes":"9"},"translation":{"languages":"en","per_message":1}}}"#,
    ])
  func none(result: String) throws {
    #expect(try features(result) == ServerFeatures())
  }
}
