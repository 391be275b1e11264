import ParleyProtocol
import TestSupport
import Testing

@testable import LoadGenerator

@Suite("Delivery scanner")
struct DeliveryScannerTests {
  private static let run: UInt32 = 0xDEAD_BEEF
  private let stamp = MessageStamp(run: run, sender: 7, number: 42, intended: 123_456_789)

  private func event(
    run: UInt32 = run, text: String = "hello", _ change: (inout Message) -> Void = { _ in }
  ) -> [UInt8] {
    let url = ChannelName.url(run: run, channel: 3)
    var message = Message(
      id: 17_300_000_000_001, channelURL: url, user: User(id: "load-1", nickname: "N"), text: text,
      data: stamp.text, createdAt: 1_730_000_000_000)
    change(&message)
    return Event.messageReceived(EventMessage(message)).notification(
      from: EventOrigin(channelURL: url, seq: 9_007_199, timestamp: 1_730_000_000_000))
  }

  @Test("the server's own event is recognized, whatever the text contains")
  func recognised() {
    let expected = MessageReceipt(channel: 3, seq: 9_007_199, stamp: stamp)
    let scanner = DeliveryScanner(run: Self.run)
    for text in ["x", "\"quoted\" \\ \n", #","data":"plg1"#, String(repeating: "ä😀", count: 900)] {
      #expect(scanner.delivery(in: event(text: text).span) == expected)
    }
  }

  @Test("an event of another form is left to the parser")
  func otherShapes() {
    let scanner = DeliveryScanner(run: Self.run)
    #expect(scanner.delivery(in: event(run: 1).span) == nil)
    #expect(scanner.delivery(in: event { $0.openGraphTag = OpenGraphTag(title: "T") }.span) == nil)
    #expect(scanner.delivery(in: event { $0.data = "" }.span) == nil)
    #expect(scanner.delivery(in: event { $0.requestID = "r" }.span) == nil)
    #expect(scanner.delivery(in: event { $0.updatedAt = 5 }.span) == nil)
    let foreign = MessageStamp(run: 5, sender: 0, number: 0, intended: 0)
    #expect(scanner.delivery(in: event { $0.data = foreign.text }.span) == nil)
  }

  @Test("truncated or damaged input is never read beyond its end")
  func damaged() {
    let scanner = DeliveryScanner(run: Self.run)
    let whole = event()
    for count in 0..<whole.count {
      #expect(scanner.delivery(in: Array(whole[..<count]).span) == nil)
    }
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<2000 {
      var bytes = whole
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
        in: 0...255, using: &generator)
      _ = scanner.delivery(in: bytes.span)
    }
  }

  private func isPresence(_ bytes: [UInt8]) -> Bool {
    DeliveryScanner.isPresence(bytes.span)
  }

  @Test("entries and exits are recognized, and nothing else")
  func presence() {
    let origin = EventOrigin(channelURL: "lobby", timestamp: 1)
    let user = User(id: "u")
    let events: [Event] = [
      .userEntered(.init(user: user, participantCount: 2)),
      .userExited(.init(user: user, participantCount: 1)), .participantCount(.init(9)),
    ]
    for event in events.map({ $0.notification(from: origin) }) {
      #expect(isPresence(event))
      #expect(!isPresence(Array(event[..<40])))
    }
    #expect(!isPresence(event()))
    let range = Event.Throttling(withheld: 1, firstMessageID: 1, lastMessageID: 1)
    #expect(!isPresence(Event.throttled(range).notification(from: origin)))
  }

  @Test("a channel's index is parsed from its URL, for its own run only")
  func channelName() {
    let url = ChannelName.url(run: 5, channel: 0xABC)
    #expect(ChannelName.channel(of: url, run: 5) == 0xABC)
    #expect(ChannelName.channel(of: url, run: 6) == nil)
    #expect(ChannelName.channel(of: "lobby", run: 5) == nil)
  }
}
