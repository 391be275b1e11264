import Basics
import ParleyProtocol
import Testing

@testable import parley

@Suite("JSON shown on a terminal")
struct HarmlessJSONTests {
  @Test("remains the same JSON after escaping")
  func json() throws {
    let json = #"{"a":"\#u{9b}31m\#u{202e}","b":[1, 2]}"#
    let harmless = DisplayText.harmless(json: json)
    #expect(harmless.unicodeScalars.allSatisfy { !$0.actsOnItsSurroundings })
    let (before, after) = (try JSONDocument(json).root, try JSONDocument(harmless).root)
    #expect(before["a"]?.string == after["a"]?.string)
  }
}
