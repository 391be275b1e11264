import ParleyProtocol
import Channels
import TestSupport
import Testing
import Transport

@testable import Gateway

@Suite("Imported messages with several servers", .onOwnThreads)
struct ImportTests {
  private static let past: Int64 = 1_546_300_800_000

  /// Sends an admin message of the past to a server: the answer, or the number of the error.
  private static func send(
    _ text: String, at createdAt: Int64, to url: String, on server: Int, of servers: DrivenServers
  ) throws -> String {
    let body = #"{"message_type":"ADMM","message":"\#(text)","created_at":\#(createdAt)}"#
    return try servers.platform(
      MessageEndpoints.send, PathArguments(["channel_url": url]), "", body, about: .open, on: server
    ).text
  }

  @Test("reach the home of their channel with their times, from any server")
  func relayed() throws {
    let servers = try DrivenServers(count: 3)
    let url = servers.channel(at: 0)
    let client = try servers.open(servers.user(at: 1), on: 2)
    _ = try client.call("channel.create", #""channel_url":"\#(url)""#)
    _ = try client.enter(url)
    for (number, server) in [1, 0, 2].enumerated() {
      let time = Self.past + Int64(number)
      let sent = try Self.send("\(number)", at: time, to: url, on: server, of: servers)
      #expect(sent.contains(#""created_at":\#(time)"#), "\(sent)")
    }
    let early = try Self.send("early", at: Self.past, to: url, on: 1, of: servers)
    #expect(early == "\(ErrorCode.outOfRange.rawValue)")
    servers.settle()
    client.receive()
    let received = client.events.filter { $0.contains("message.received") }
    #expect(received.count == 3)
    for (number, event) in received.enumerated() {
      #expect(event.contains(#""ts":\#(Self.past + Int64(number))"#), "\(event)")
    }
    #expect(try client.say("now", in: url).contains(#""seq":4"#))
  }
}
