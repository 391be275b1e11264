internal import ParleyProtocol

/// The parts of an answer to `channel.enter` that the engine itself needs.
struct EnterAnswer {
  let position: ChannelPosition?
  let isRecovered: Bool
  let events: [(method: String, params: JSONNode)]

  /// Takes out what is as expected, and passes over the rest.
  init(_ result: JSONNode) {
    if let epoch = result.present("epoch")?.string, let seq = result.present("seq")?.integer {
      position = ChannelPosition(epoch: epoch, reached: max(0, seq))
    } else {
      position = nil
    }
    isRecovered = result.present("recovered")?.bool ?? false
    var events: [(method: String, params: JSONNode)] = []
    if let elements = result.present("events")?.elements {
      for event in elements {
        guard let method = event["method"]?.string, let params = event.present("params") else {
          continue
        }
        events.append((method, params))
      }
    }
    self.events = events
  }
}
