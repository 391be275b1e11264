import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The queue of a turn")
struct TurnQueueTests {
  private var queue = TurnQueue()
  private var participants = Participants()

  init() {
    for (index, id) in ["ann", "ben", "cat"].enumerated() {
      _ = participants.add(
        .sample(index, shard: index % 2), of: id, throttle: Throttle())
    }
  }

  private mutating func flush() -> [StageAction] {
    var actions = StageActions()
    queue.flush(of: "lobby", to: participants, into: &actions)
    return actions.list
  }

  private func plans(_ actions: [StageAction]) -> [(plan: FanOutPlan, shard: Int)] {
    actions.compactMap { action in
      guard case .deliver(let plan, let shard) = action else { return nil }
      return (plan, shard)
    }
  }

  private func address(_ session: SessionAddress) -> ReplyAddress {
    ReplyAddress(
      session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true)
  }

  @Test("it is empty until something is added, and again after it was taken")
  mutating func emptiness() {
    #expect(queue.isEmpty && flush().isEmpty)
    queue.append([1], except: nil)
    #expect(!queue.isEmpty && flush().count == 2)
    #expect(queue.isEmpty && flush().isEmpty)
    queue.append(.empty, to: address(.sample(0)))
    #expect(!queue.isEmpty && flush().count == 1)
    #expect(queue.isEmpty)
  }

  @Test("events are sent before responses, in one plan per shard")
  mutating func order() {
    queue.append(.empty, to: address(.sample(0)))
    for number in [UInt8(1), 2, 3] { queue.append([number], except: nil) }
    let actions = flush()
    guard case .reply? = actions.last, actions.count == 3 else { return #expect(Bool(false)) }
    for (plan, shard) in plans(actions) {
      #expect(plan.payloads == [[1], [2], [3]] && plan.channelURL == "lobby")
      #expect(plan.common.bits == 0b111 && plan.exceptions.isEmpty && shard < 2)
    }
  }

  @Test("responses keep their order")
  mutating func answers() {
    for number in 0..<4 { queue.append(.empty, to: address(.sample(number))) }
    let sessions = flush().compactMap { action -> UInt64? in
      guard case .reply(let address, _) = action else { return nil }
      return address.session.connection
    }
    #expect(sessions == [0, 1, 2, 3])
  }

  @Test("an author's connection is excluded only from its own events, on its own shard")
  mutating func author() {
    queue.append([1], except: .sample(0, shard: 0))
    queue.append([2], except: nil)
    queue.append([3], except: .sample(0, shard: 0))
    queue.append([4], except: .sample(1, shard: 1))
    let plans = plans(flush())
    #expect(plans.map(\.shard) == [0, 1])
    #expect(plans[0].plan.exceptions.map(\.connection) == [0])
    #expect(plans[0].plan.exceptions.map(\.share.bits) == [0b1010])
    #expect(plans[1].plan.exceptions.map(\.share.bits) == [0b0111])
    #expect(plans.allSatisfy { $0.plan.common.bits == 0b1111 })
  }

  @Test(
    "participants are excluded from withheld events, and the majority's share is the common one")
  mutating func withheld() {
    queue.append([1], except: nil, SlotSet([0]))
    queue.append([2], except: nil, SlotSet([0, 1]))
    let plans = plans(flush())
    // Ann (0) lacks both, Ben (1) the second, Cat (2) nothing: no share has a majority.
    for (plan, shard) in plans {
      for connection in [UInt64(0), 1, 2] where Int(connection) % 2 == shard {
        let share =
          plan.exceptions.first { $0.connection == connection }?.share ?? plan.common
        #expect(share.bits == [0b00, 0b01, 0b11][Int(connection)])
      }
    }
  }

  @Test("an author who is excluded from other events too is listed once")
  mutating func authorWithheld() {
    _ = participants.add(.sample(4, shard: 0), of: "dan", throttle: Throttle())
    queue.append([1], except: nil, SlotSet([0]))
    queue.append([2], except: .sample(0, shard: 0))
    let exceptions = plans(flush())[0].plan.exceptions
    #expect(exceptions.map(\.connection) == [0] && exceptions.map(\.share.bits) == [0])
  }

  @Test("all connections of a user are excluded from events withheld from it")
  mutating func connections() {
    _ = participants.add(.sample(6, shard: 0), of: "ann", throttle: Throttle())
    queue.append([1], except: nil, SlotSet([0]))
    let exceptions = plans(flush())[0].plan.exceptions
    #expect(Set(exceptions.map(\.connection)) == [0, 6])
  }

  @Test("a plan contains up to 64 events; responses come after the last plan")
  mutating func manyEvents() {
    for number in 0..<130 { queue.append([UInt8(number)], except: .sample(0, shard: 0)) }
    queue.append(.empty, to: address(.sample(0)))
    let actions = flush()
    #expect(plans(actions).map(\.plan.payloads.count) == [64, 64, 64, 64, 2, 2])
    #expect(plans(actions).map(\.plan.common.bits) == [.max, .max, .max, .max, 3, 3])
    guard case .reply? = actions.last else { return #expect(Bool(false)) }
  }

  @Test("a shard without subscribers gets no plan")
  mutating func shards() {
    _ = participants.removeAll(of: "ben")
    queue.append([1], except: nil)
    #expect(plans(flush()).map(\.shard) == [0])
  }
}
