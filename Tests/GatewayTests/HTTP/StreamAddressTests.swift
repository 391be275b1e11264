import Channels
import Testing
import Transport

@testable import Gateway

@Suite("Addresses of streams")
struct StreamAddressTests {
  private let key = StreamKey()
  private let address = StreamAddress(
    ConnectionID(rawValue: 0x0102_0304_0506_0708), on: ShardAddress(server: 513, shard: 7))

  @Test("are read by the server that issued them")
  func own() {
    let text = address.text(key)
    #expect(text.utf8.count == 48)
    #expect(StreamAddress.server(in: text) == 513)
    #expect(StreamAddress(text, key) == address)
  }

  @Test("of another key, changed or cut, are refused")
  func foreign() {
    let text = address.text(key)
    #expect(StreamAddress(text, StreamKey()) == nil)
    for index in text.indices {
      for letter in ["A", "B"] where text[index] != Character(letter) {
        let changed = text[..<index] + letter + text[text.index(after: index)...]
        #expect(StreamAddress(String(changed), key) == nil)
      }
      #expect(StreamAddress(String(text[..<index]), key) == nil)
    }
    for other in ["", "A", text + "A", text + text, String(repeating: "=", count: 48)] {
      #expect(StreamAddress(other, key) == nil)
      #expect(StreamAddress.server(in: other) == nil)
    }
  }
}
