import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: who may report")
struct ReportRuleTests {
  private func code(_ rig: JudgeRig, _ userID: String) -> ErrorCode? {
    do throws(ServiceError) {
      _ = try rig.requireReporting(userID)
      return nil
    } catch { return error.code }
  }

  @Test("in an open channel, users who are in it, even if they may not send")
  func openChannel() throws {
    let rig = try JudgeRig(frozen: true)
    _ = try rig.perform(
      .operation(.restrict(.mute, .init(userID: "ben", seconds: 60, description: ""))), by: "boss")
    for id in ["ann", "ben", "boss"] { #expect(code(rig, id) == nil) }
    #expect(code(rig, "away") == .notInChannel)
    _ = try rig.perform(.operation(.delete), by: "boss")
    #expect(code(rig, "ann") == .notFound)
  }

  @Test("in a group, joined members", arguments: [false, true])
  func group(isPublic: Bool) throws {
    let rig = try JudgeRig.group(isPublic: isPublic)
    for id in ["ann", "ben", "boss"] { #expect(code(rig, id) == nil) }
    #expect(code(rig, "cat") == .notAllowed)
    #expect(code(rig, "away") == (isPublic ? .notAllowed : .notFound))
    #expect(try rig.requireReporting("ann") == rig.requireReading("ann"))
  }
}
