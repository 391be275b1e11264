import Basics
import TestSupport
import Testing

@Suite("IP addresses")
struct IPAddressTests {
  @Test("an address is parsed from and written in its usual notation")
  func notation() throws {
    let pairs = [
      "1.2.3.4": "1.2.3.4", "::": "::", "::1": "::1", "1::": "1::", "2001:DB8::1": "2001:db8::1",
      "1:0:0:2:0:0:0:3": "1:0:0:2::3", "1:2:3:4:5:6:7:8": "1:2:3:4:5:6:7:8",
      "::ffff:1.2.3.4": "::ffff:102:304", "1:2:3:4:5:6:1.2.3.4": "1:2:3:4:5:6:102:304",
      "0:1:0:1:0:1:0:1": "0:1:0:1:0:1:0:1",
    ]
    for (text, canonical) in pairs {
      #expect(try #require(IPAddress(text)).description == canonical)
    }
  }

  @Test(
    "invalid addresses are refused",
    arguments: [
      "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.-4", " 1.2.3.4", "1.2.3.4 ",
      "0x7f.0.0.1", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::",
      "fe80::1%eth0", "1.2.3.4::", "::1.2.3.4:1", "::1.2.3", "1:2:3:4:5:6:7::8:9",
    ])
  func malformed(text: String) {
    #expect(IPAddress(text) == nil)
  }
}

@Suite("Networks")
struct NetworkTests {
  @Test("a network contains the addresses that share its prefix")
  func network() throws {
    let network = try Network(parsing: "10.1.0.0/16")
    #expect(network.contains(.v4(0x0a01_ffff)))
    #expect(!network.contains(.v4(0x0a02_0000)))
    #expect(try Network(parsing: "0.0.0.0/0").contains(.v4(0xffff_ffff)))
    #expect(try Network(parsing: "::1").contains(.v6(1)))
    #expect(try !Network(parsing: "::/0").contains(.v4(1)))
  }

  @Test(
    "the error names a network that cannot be parsed",
    arguments: ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "host/8", "::/129", "10.0.0.0/8/8"])
  func badNetwork(text: String) {
    #expect(throws: NetworkTextError.malformed(text)) { try Network(parsing: text) }
  }

  @Test("a network with bits set beyond its prefix is refused")
  func hostBits() {
    #expect(throws: NetworkTextError.hostBitsSet("10.0.0.1/8")) {
      try Network(parsing: "10.0.0.1/8")
    }
  }

  @Test("a network contains exactly the addresses with its leading bits", arguments: UInt64(1)...40)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let length = Int.random(in: 0...32, using: &random)
    func leading(_ bits: UInt32) -> [Character] {
      let digits = String(bits, radix: 2)
      return Array((String(repeating: "0", count: 32 - digits.count) + digits).prefix(length))
    }
    let base = UInt32.random(in: 0 ... .max, using: &random)
    let first = length == 0 ? 0 : base & (.max << UInt32(32 - length))
    let network = try Network(parsing: "\(IPAddress.v4(first))/\(length)")
    for _ in 0..<50 {
      let near = base ^ (1 << UInt32.random(in: 0..<32, using: &random))
      #expect(network.contains(.v4(near)) == (leading(near) == leading(base)), "seed \(seed)")
    }
  }
}
