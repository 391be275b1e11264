import TestSupport
import Testing

@testable import Bus

@Suite("The Redis protocol", .onOwnThreads)
struct RedisProtocolTests {
  private func read(_ text: String, in step: Int = .max) throws -> [RedisReply] {
    let (reader, bytes) = (RedisReader(), Array(text.utf8))
    var replies: [RedisReply] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(step))
      rest = rest.dropFirst(part.count)
      try part.withUnsafeBytes { bytes in
        try reader.receive(bytes) { replies.append($0) }
      }
    }
    return replies
  }

  @Test("replies are parsed however they are split", arguments: [1, 2, 7, .max])
  func replies(step: Int) throws {
    let text =
      "+OK\r\n:-3\r\n$5\r\na\r\nbc\r\n$0\r\n\r\n$-1\r\n"
      + "*2\r\n$1\r\nx\r\n*1\r\n:1\r\n-ERR no\r\n*0\r\n*-1\r\n"
    #expect(
      try read(text, in: step) == [
        .text(Array("OK".utf8)), .integer(-3), .text(Array("a\r\nbc".utf8)), .text([]), .null,
        .array([.text([0x78]), .array([.integer(1)])]), .error("ERR no"), .array([]), .null,
      ])
  }

  @Test(
    "a reply that is invalid, too large or too deep ends the reader",
    arguments: [
      "HTTP/1.1 400 Bad Request\r\n", "*2147483647\r\n", "*1025\r\n", "*-2\r\n",
      "*1024\r\n*1\r\n", String(repeating: "*1\r\n", count: 9), "$x\r\n",
    ])
  func refused(text: String) {
    #expect(throws: RedisReader.Failure.self) { try read(text) }
  }

  @Test("a string of 512 MiB is refused before most of it has arrived")
  func announced() throws {
    let reader = RedisReader()
    let head = Array("$536870912\r\n".utf8)
    try head.withUnsafeBytes { try reader.receive($0) { _ in Issue.record("a reply") } }
    let part = [UInt8](repeating: 0, count: 65_536)
    var count = 0
    let failure = #expect(throws: RedisReader.Failure.self) {
      while count < 536_870_912 {
        count += part.count
        try part.withUnsafeBytes { try reader.receive($0) { _ in } }
      }
    }
    #expect(count <= RedisReader.byteLimit + 2 * part.count)
    #expect(failure?.reason == "a reply is larger than what is taken")
  }

  @Test("commands are serialized with the length of each argument")
  func commands() {
    var command: [UInt8] = []
    RedisCommand.encode([Array("PUBLISH".utf8), Array("a".utf8), [13, 10, 0], []]) {
      command = Array($0)
    }
    #expect(command == Array("*4\r\n$7\r\nPUBLISH\r\n$1\r\na\r\n$3\r\n\r\n\0\r\n$0\r\n\r\n".utf8))
  }

  @Test("inbox names need no quoting")
  func inboxes() {
    #expect(Inbox("parley:a.b-C_9")?.description == "parley:a.b-C_9")
    let long = String(repeating: "a", count: 40)
    #expect(Inbox(long) != nil && Inbox(long + "a") == nil)
    for name in ["", "a b", "a\"", "a'", "ä", "a\n", "*"] { #expect(Inbox(name) == nil) }
    #expect(Inbox(long).map { Inbox(echoBeside: $0, number: .max).name.utf8.count } == 57)
  }
}

@Suite("Addresses of Redis servers", .onOwnThreads)
struct RedisAddressTests {
  @Test("addresses are shown without their secrets")
  func addresses() throws {
    #expect(try RedisAddress("redis://a.b").description == "redis://a.b:6379")
    #expect(try RedisAddress("redis://:w@[::1]:1/0").description == "redis://[::1]:1")
    let address = try RedisAddress("rediss://u%3A:p@w%25@10.0.0.1:7/?sslrootcert=/a%20b")
    #expect(address.description == "rediss://10.0.0.1:7")
    #expect(address.credentials?.user == Array("u:".utf8))
    #expect(address.credentials?.password == Array("p@w%".utf8))
    #expect(address.security == .tls(authorityPath: "/a b"))
  }

  @Test(
    "invalid addresses are refused without showing secrets",
    arguments: [
      "", "http://a.b", "redis://", "redis://user@a.b", "redis://user:@a.b", "redis://u:%zz@a.b",
      "redis://u:hush@a b:1", "redis://u:hush@a.b:0", "redis://u:hush@a.b:99999",
      "redis://u:hush@a.b/x", "redis://u:hush@a.b?db=1", "redis://u:hush@a.b?sslrootcert=/x",
      "rediss://u:hush@a.b?sslrootcert=", "redis://u:hush@a.b#x",
    ])
  func refused(url: String) {
    let failure = #expect(throws: RedisAddress.Failure.self) { try RedisAddress(url) }
    #expect(failure?.description.contains("hush") == false)
  }
}
