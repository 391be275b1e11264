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

  @Test("are replaced when their URL is that of another kind of channel")
  func otherKind() throws {
    let core = ClientCore(bufferedEvents: 10)
    weak let open = try core.enteredChannel("trip")
    let group = try core.knownGroup()
    #expect(open == nil)
    #expect(core.channels.known("trip") as? GroupChannel === group)
    let other = core.channel(try snapshot("trip"))
    core.channels.enter(other)
    #expect(core.channels.known("trip") as? OpenChannel === other)
    #expect(core.channels.groups == [])
  }

  @Test("of a member are retained, and released at the end of the session")
  func groups() throws {
    let core = ClientCore(bufferedEvents: 10)
    weak var group = try core.knownGroup()
    #expect(group != nil && core.channels.groups == [group])
    core.receive(.stateChanged(.disconnected(because: .requested)))
    #expect(group == nil && core.channels.groups == [])
    group = try core.knownGroup(Sample.group(my: nil))
    #expect(group == nil)
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
