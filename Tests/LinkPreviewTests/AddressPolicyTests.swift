import Basics
import LinkPreview
import Testing

@Suite("Address policy")
struct AddressPolicyTests {
  @Test(
    "addresses outside the public internet are refused",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200",
      "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.169.254", "169.254.0.1",
      "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1",
      "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1",
      "239.255.255.255", "240.0.0.1", "255.255.255.255",
      "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
      "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
      "64:ff9b:1::a00:1", "64:ff9b:1:7f00:0:100::", "2002:7f00:1::", "2002:a9fe:a9fe::1",
      "2002:c0a8:1::1", "2001:0:7f00:1::8.8.8.8", "2001:0:808:808::80ff:fffe", "2001:db8::1",
      "2001:2::1", "2001:10::1", "2001:20::1", "3fff::1", "fc00::1", "fd00:ec2::254", "fe80::1",
      "febf::1", "fec0::1", "ff02::1", "ff0e::1", "100::1", "5f00::1", "4000::1",
    ])
  func refused(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!AddressPolicy().permits(address))
  }

  @Test(
    "public addresses are permitted",
    arguments: [
      "1.1.1.1", "8.8.8.8", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255",
      "128.0.0.1", "169.253.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "192.167.0.1",
      "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::1",
      "::ffff:8.8.8.8", "64:ff9b::808:808", "64:ff9b:1::808:808", "2002:808:808::1",
    ])
  func permitted(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressPolicy().permits(address))
  }

  @Test("an allowed network is permitted, in every embedding, and no other address")
  func allowance() throws {
    let policy = AddressPolicy(allowing: [
      try Network(parsing: "127.0.0.0/8"), try Network(parsing: "fd00::/8"),
    ])
    for text in ["127.0.0.1", "127.9.9.9", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fd12::1"] {
      #expect(policy.permits(try #require(IPAddress(text))), "\(text)")
    }
    for text in ["10.0.0.1", "::1", "fc00::1", "::ffff:10.0.0.1", "0.0.0.0"] {
      #expect(!policy.permits(try #require(IPAddress(text))), "\(text)")
    }
  }
}

@Suite("Ports from text")
struct PolicyTextTests {
  @Test("ports are a list of numbers and ranges")
  func policy() throws {
    let policy = PortPolicy(
      try ["80", "443", "8000-8100"].map { try #require(PortPolicy.range($0)) })
    #expect([80, 443, 8_000, 8_050, 8_100].allSatisfy(policy.permits))
    #expect(![1, 79, 81, 442, 7_999, 8_101, 65_535].contains(where: policy.permits))
    #expect(PortPolicy.standard.permits(443))
  }

  @Test(
    "invalid port lists are refused",
    arguments: ["", "80,", "0", "65536", "http", "90-80", "1-2-3", "-1", "80;443"])
  func badPorts(text: String) {
    #expect(PortPolicy.range(text) == nil)
  }

  @Test("ports are numbers or ascending ranges")
  func ports() {
    #expect(PortPolicy.range("443") == 443...443)
    #expect(PortPolicy.range("1-65535") == 1...65535)
    for text in ["", "0", "65536", "9-8", "1-", "-1", "1-2-3", "http"] {
      #expect(PortPolicy.range(text) == nil, "\(text)")
    }
  }

  @Test("the machine's own addresses are refused in every embedding, unless they are allowed")
  func ownAddresses() throws {
    let (v4, v6) = (try #require(IPAddress("8.8.4.4")), try #require(IPAddress("2600::1")))
    let mapped = try #require(IPAddress("::ffff:8.8.4.4"))
    let translated = try #require(IPAddress("2002:808:404::"))
    var policy = AddressPolicy()
    policy.ownAddresses = [v4, v6]
    for address in [v4, v6, mapped, translated] {
      #expect(policy.refusal(of: address)?.reason == .ownAddress, "\(address)")
    }
    #expect(policy.permits(try #require(IPAddress("8.8.4.5"))))
    let inside = try #require(IPAddress("10.0.0.1"))
    #expect(policy.refusal(of: inside)?.reason == .notPublic)
    var open = AddressPolicy(allowing: [try Network(parsing: "8.8.4.0/24")])
    open.ownAddresses = [v4]
    #expect(open.permits(v4) && open.permits(mapped))
  }
}
