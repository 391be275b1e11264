import Channels
import ParleyProtocol

extension RecordedEvent {
  /// The payload as values.
  func details() throws -> EventDetails {
    let root = try JSONDocument(Array(payload.utf8)).root
    if let operators = root["operators"] {
      return .operators(try operators.elements.map { try User(json: $0) })
    }
    guard let node = root["user"] else { return .channel }
    let user = try User(json: node)
    guard let seconds = root["seconds"]?.integer else { return .user(user) }
    return .restriction(user, seconds: seconds, description: root["description"]?.string ?? "")
  }
}
