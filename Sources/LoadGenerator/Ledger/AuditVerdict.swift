/// The verdict of an audit: whether each expected delivery happened once, in order, and no other.
package struct AuditVerdict: Sendable, Hashable {
  /// Deliveries that the rules ask for.
  package var expected = 0
  /// Those of them that came.
  package var delivered = 0
  /// Those that did not.
  package var lost = 0
  /// Deliveries of what had been delivered.
  package var doubled = 0
  /// Deliveries after a later one.
  package var disordered = 0
  /// Deliveries of what was to be withheld, of messages that nobody sent, or before the entering.
  package var uncalledFor = 0
  /// Subscriptions in which a `seq` did not carry the message that it was answered for.
  package var mistaken = 0
  /// Messages rightly withheld by smart throttling.
  package var withheld = 0
  /// Subscriptions that were looked at.
  package var subscriptions = 0
  /// The first findings in words.
  package var examples: [String] = []

  private static let exampleLimit = 10

  package init() {}

  /// Whether all came as it should.
  package var isClean: Bool {
    lost == 0 && doubled == 0 && disordered == 0 && uncalledFor == 0 && mistaken == 0
  }

  package static func += (sum: inout AuditVerdict, other: AuditVerdict) {
    sum.expected += other.expected
    sum.delivered += other.delivered
    sum.lost += other.lost
    sum.doubled += other.doubled
    sum.disordered += other.disordered
    sum.uncalledFor += other.uncalledFor
    sum.mistaken += other.mistaken
    sum.withheld += other.withheld
    sum.subscriptions += other.subscriptions
    for example in other.examples { sum.note(example) }
  }

  mutating func note(_ example: @autoclosure () -> String) {
    if examples.count < Self.exampleLimit { examples.append(example()) }
  }
}
