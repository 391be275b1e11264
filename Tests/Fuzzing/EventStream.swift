@testable import ParleyClient

/// Feeds an event stream to its reader whole and in pieces; both must find the same events.
///
/// The first byte of the input chooses the length of the pieces.
enum EventStreamHarness: Harness {
  static func run(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let stream = Array(input.dropFirst())
    let whole = outcome(stream, piece: max(1, stream.count))
    let pieces = outcome(stream, piece: 1 + Int(choice))
    precondition(whole.isTooLarge == pieces.isTooLarge, "the limit depends on how it is cut")
    precondition(
      whole.events == pieces.events || whole.isTooLarge && pieces.events.starts(with: whole.events),
      "the events depend on how the stream is cut")
  }

  private static let limit = 200

  private static func outcome(
    _ stream: [UInt8], piece: Int
  ) -> (events: [StreamEvent], isTooLarge: Bool) {
    var reader = EventStreamReader(limit: limit)
    var events: [StreamEvent] = []
    var rest = stream[...]
    do throws(EventStreamReader.TooLarge) {
      while !rest.isEmpty {
        events += try reader.receive(Array(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
      }
    } catch {
      return (events, true)
    }
    for event in events { precondition(event.data.count <= limit && event.name.utf8.count <= 600) }
    return (events, false)
  }
}
