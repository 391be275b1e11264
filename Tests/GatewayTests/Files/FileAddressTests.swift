import Testing

@testable import Gateway

@Suite("Addresses of stored files")
struct FileAddressTests {
  private static let id = String(repeating: "a", count: 32)
  private static let stored = "http://127.0.0.1:8080/files/\(id)/plan.png"

  @Test("use the base of the uploading request when no base is configured")
  func stays() {
    #expect(FileAddress.composition(publicURL: nil)(Self.stored, Self.id) == Self.stored)
  }

  @Test("use the configured base", arguments: ["", "/"])
  func moves(end: String) {
    let address = FileAddress.composition(publicURL: "https://cdn.example/chat" + end)
    #expect(
      address(Self.stored, Self.id) == "https://cdn.example/chat/files/\(Self.id)/plan.png")
    #expect(address("http://elsewhere.example/plan.png", Self.id).contains("elsewhere"))
  }
}
