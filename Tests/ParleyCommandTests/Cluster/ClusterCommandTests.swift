import ParleyProtocol
import Testing

@testable import parley

@Suite("Servers, as the command line shows them")
struct ClusterCommandTests {
  private static let answer = """
    {"name":"parley","server_id":"00000000000000aa","home":"00000000000000bb","servers":[
      {"server_id":"00000000000000aa","slot":0,"name":"chat1","version":"1","state":"live",
       "hears_bus":true,"started_at":1700000000000,"beat_age_ms":120,"sessions":7},
      {"server_id":"00000000000000bb","slot":1,"name":"chat2","version":"1","state":"draining",
       "hears_bus":false,"started_at":1700000000000,"beat_age_ms":90,"sessions":0},
      {"server_id":"00000000000000cc","slot":2,"name":"chat2","version":"1","state":"dead",
       "hears_bus":false,"started_at":1,"beat_age_ms":9000,"sessions":0},
      {"server_id":"00000000000000dd","slot":3,"name":"twin","version":"1","state":"live",
       "hears_bus":true,"started_at":1,"beat_age_ms":1,"sessions":0},
      {"server_id":"00000000000000ee","slot":4,"name":"twin","version":"1","state":"live",
       "hears_bus":true,"started_at":1,"beat_age_ms":1,"sessions":0},
      {"server_id":"00000000000000ff","slot":5,"name":"chat4","version":"1","state":"dead",
       "hears_bus":false,"started_at":1,"beat_age_ms":1,"ended_at":1700000000000,"ending":"left"},
      {"server_id":"00000000000000f0","slot":6,"name":"chat5","version":"1","state":"dead",
       "hears_bus":false,"started_at":1,"beat_age_ms":1,"ended_at":1700000000000,"ending":"silent"},
      {"server_id":"00000000000000f1","slot":7,"name":"chat1","version":"1","state":"dead",
       "hears_bus":false,"started_at":1,"beat_age_ms":1,"ended_at":1,"ending":"expelled"}],
     "bus":{"kind":"redis","is_up":true,"echo_age_ms":3},
     "store":{"kind":"postgresql","is_up":false,"reason":"disk full"}}
    """

  @Test("the list marks the contacted server, the home and deaf servers")
  func lines() throws {
    let lines = ClusterCommand.Status.lines(try JSONDocument(Self.answer).root)
    let text = lines.joined(separator: "\n")
    #expect(lines.count == 12, "\(text)")
    #expect(!text.contains("00000000000000ff"), "\(text)")
    for ended in ["chat1: 1 expelled", "chat2: 1 dead", "chat4: 1 left", "chat5: 1 silent"] {
      #expect(text.contains(ended), "\(text)")
    }
    #expect(text.contains("00000000000000aa *") && text.contains("chat2 (home)"), "\(text)")
    #expect(text.contains("2023-11-14") && text.contains("120 ms ago"), "\(text)")
    #expect(text.contains("deaf") && text.contains("redis, works"), "\(text)")
    #expect(text.contains("postgresql, FAILS: disk full"), "\(text)")
  }

  @Test("ended servers have their own rows when all are requested")
  func all() throws {
    let root = try JSONDocument(Self.answer).root
    let text = ClusterCommand.Status.lines(root, isEach: { _ in true }).joined(separator: "\n")
    for id in ["00000000000000cc", "00000000000000ff", "00000000000000f0", "00000000000000f1"] {
      #expect(text.contains(id), "\(text)")
    }
    for ending in ["left", "silent", "expelled"] { #expect(text.contains(ending), "\(text)") }
    #expect(!text.contains("1 left"), "\(text)")
  }

  @Test("a dozen ended servers of one name take one line")
  func folded() throws {
    let dead = (0..<12).map { number in
      let ending = number % 3 == 0 ? "left" : "silent"
      return #"{"server_id":"\#(number)","name":"vm","state":"dead","ending":"\#(ending)"}"#
    }
    let root = try JSONDocument(#"{"servers":[\#(dead.joined(separator: ","))]}"#).root
    let lines = ClusterCommand.Status.lines(root)
    #expect(lines.filter { $0.contains("vm") }.count == 1)
    #expect(lines.last?.contains("vm: 4 left, 8 silent") == true, "\(lines)")
  }

  @Test("a lost server that has not returned, and a failing store, are reported as problems")
  func problems() throws {
    let root = try JSONDocument(Self.answer).root
    #expect(
      ClusterCommand.Status.problems(root)
        == ["chat2 is dead", "chat5 is dead (silent)", "the store does not work"])
  }

  @Test("a server is selected by its ID, by a unique name, or as the contacted server")
  func choosing() throws {
    let root = try JSONDocument(Self.answer).root
    func chosen(_ wanted: String?) throws -> String {
      try ClusterCommand.Drain.choose(wanted, of: root).text("server_id")
    }
    #expect(try chosen(nil) == "00000000000000aa")
    #expect(try chosen("00000000000000dd") == "00000000000000dd")
    #expect(try chosen("chat2") == "00000000000000bb", "the dead one does not count")
    #expect(throws: CommandFailure.self) { try chosen("twin") }
    #expect(throws: CommandFailure.self) { try chosen("nobody") }
  }
}
