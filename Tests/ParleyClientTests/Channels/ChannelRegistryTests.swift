import Testing

@testable import ParleyClient

@Suite("The channels of a client")
struct ChannelRegistryTests {
  private func snapshot(_ url: String = "lobby", name: String = "Lobby") throws -> ChannelSnapshot {
    try ChannelSnapshot(json: AnswerReader.document(Sample.channel(url, name: name).json))
  }

  @Test("have one object each, kept up to date")
  func identity() throws {
    let core = ClientCore(bufferedEvents: 10)
    let one = core.channel(try snapshot())
    let other = core.channel(try snapshot(name: "Hall"))
    #expect(one === other)
    #expect(one.name == "Hall")
    #expect(one == other)
  }

  @Test("are released when unreferenced, unless they are entered")
  func lifetime() throws {
    let core = ClientCore(bufferedEvents: 10)
    weak var channel = core.channel(try snapshot())
    #expect(channel == nil)
    #expect(core.channels.known("lobby") == nil)

    channel = try core.enteredChannel()
    #expect(channel != nil)
    #expect(core.channels.isEntered("lobby"))
    core.channels.exit("lobby")
    #expect(channel == nil)
    #expect(!core.channels.isEntered("lobby"))
  }

  @Test("do not retain their client")
  func client() throws {
    var core: ClientCore? = ClientCore(bufferedEvents: 10)
    weak let observed = core
    _ = try core?.enteredChannel()
    core?.shutDown()
    core = nil
    #expect(observed == nil)
  }
}
