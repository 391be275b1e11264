import ParleyProtocol
import Testing

/// Reads a request whose parameters are given as members of a JSON object.
func command(_ method: String, _ members: String) throws -> Command {
  try Command(method: method, params: node("{\(members)}"))
}

/// Fields given as members of a JSON object.
func parameters(_ members: String) throws -> Fields {
  try Fields(node("{\(members)}"))
}

/// Why a request is refused: the code and the field at fault; `nil` when it is accepted.
func refusal(_ method: String, _ members: String) throws -> Refusal? {
  let params = try node("{\(members)}")
  do throws(ServiceError) {
    _ = try Command(method: method, params: params)
    return nil
  } catch {
    return Refusal(error)
  }
}

/// What of an error a client can act on.
struct Refusal: Equatable, CustomStringConvertible {
  var code: Int
  var field: String?

  init(_ code: Int, _ field: String?) {
    self.code = code
    self.field = field
  }

  init(_ error: ServiceError) {
    self.init(error.code.rawValue, error.data.field)
  }

  var description: String { "\(code) \(field ?? "-")" }
}

/// One request with members of `params`, and how it is to be refused; code 0 stands for acceptance.
struct Case: CustomStringConvertible, Sendable {
  var members: String
  var code: Int
  var field: String

  init(_ members: String, _ code: Int = 0, _ field: String = "") {
    self.members = members
    self.code = code
    self.field = field
  }

  var description: String { "\(members.prefix(60)) → \(code) \(field)" }

  /// Checks the outcome for one method, `prefix` being members that are in order.
  func check(
    _ method: String, _ prefix: String = "", _ location: SourceLocation = #_sourceLocation
  ) throws {
    let all = [prefix, members].filter { !$0.isEmpty }.joined(separator: ",")
    let expected = code == 0 ? nil : Refusal(code, field)
    #expect(try refusal(method, all) == expected, "\(self)", sourceLocation: location)
  }
}
