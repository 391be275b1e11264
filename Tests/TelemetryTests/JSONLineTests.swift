import Foundation
import Logging
import Testing

@testable import Telemetry

@Suite("Log lines as JSON")
struct JSONLineTests {
  private func line(_ message: String, _ metadata: Logger.Metadata = [:]) -> String {
    JSONLine.format(
      LogRecord(
        time: 1_738_367_999_123, level: .warning, label: "store", message: message,
        metadata: metadata))
  }

  @Test("a line is one object with time, level, label and message")
  func plain() {
    #expect(
      line("slow")
        == #"{"time":"2025-01-31T23:59:59.123Z","level":"warning","label":"store","message":"slow"}"#
        + "\n")
  }

  @Test("metadata is an object, sorted, with lists and groups kept")
  func metadata() {
    let metadata: Logger.Metadata = [
      "b": ["x", .stringConvertible(1)], "a": ["z": "1", "y": "2"], "c": "d",
    ]
    #expect(
      line("m", metadata).hasSuffix(
        #","message":"m","metadata":{"a":{"y":"2","z":"1"},"b":["x","1"],"c":"d"}}"# + "\n"))
  }

  @Test("quotes and control characters are escaped")
  func escapes() {
    #expect(
      line("a\"b\\c\nd\u{1}\u{7f}\u{2028}\u{e0001}é").contains(
        #""message":"a\"b\\c\nd\u0001\u007f\u2028\udb40\udc01é""#))
  }

  @Test("every line can be read back", arguments: ["", "é\u{1F600}", "\u{0}\u{1f}\"\\/", "\r\n\t"])
  func readBack(text: String) throws {
    let data = Data(line(text, [text: ["k": .string(text)]]).utf8)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["message"] as? String == text)
    let metadata = try #require(object["metadata"] as? [String: [String: String]])
    #expect(metadata == [text: ["k": text]])
  }
}
