/// The named values of a request, read with the checks of the API contract.
///
/// They come from a JSON object (`params` on the socket, a body over HTTP), from the query of a URL or
/// from a form. Every refusal names the value. A `null` counts as absent, and so does an empty value in
/// a query.
package struct Fields: Sendable {
  private enum Source: Sendable {
    case none
    case object(JSONNode)
    case query([String: String])
    case form([String: [String]])
  }

  private let source: Source
  /// The limits on application data.
  let limits: CustomDataLimits
  /// The time of arrival on a clock of the host.
  let arrival: Int64

  /// Reads from an object, or from an absent value.
  ///
  /// - Throws: ``ErrorCode/invalidParams`` when the value is present and not an object.
  package init(
    _ node: JSONNode?, limits: CustomDataLimits = CustomDataLimits(), arrival: Int64 = 0
  ) throws(ServiceError) {
    self.limits = limits
    self.arrival = arrival
    guard let node else {
      source = .none
      return
    }
    guard node.kind == .object else { throw .paramsNotObject }
    source = .object(node)
  }

  /// Reads from the body of an HTTP request; an empty body has no values.
  ///
  /// - Throws: 400403 unless it is a JSON object.
  package init(
    body: [UInt8], limits: CustomDataLimits = CustomDataLimits()
  ) throws(ServiceError) {
    self.limits = limits
    arrival = 0
    guard !body.isEmpty else {
      source = .none
      return
    }
    let root: JSONNode
    do throws(JSONError) { root = try JSONDocument(body).root } catch {
      throw ServiceError(.bodyNotJSON, "the body is not valid JSON: \(error)")
    }
    guard root.kind == .object else {
      throw ServiceError(.bodyNotJSON, "the body must be a JSON object")
    }
    source = .object(root)
  }

  /// Reads from the query of a URL, in which list items are separated by commas.
  package init(query: [String: String], limits: CustomDataLimits = CustomDataLimits()) {
    source = .query(query)
    self.limits = limits
    arrival = 0
  }

  /// Reads from a form, which may have several texts with one name: a list is given as JSON, as separate
  /// items, or separated by commas.
  package init(form: [String: [String]], limits: CustomDataLimits = CustomDataLimits()) {
    source = .form(form)
    self.limits = limits
    arrival = 0
  }

  /// The value with that name, or `nil` when it is absent.
  func value(_ name: String) -> FieldValue? {
    switch source {
    case .none: nil
    case .object(let object): object.present(name).map(FieldValue.json)
    case .query(let texts): texts[name].flatMap { $0.isEmpty ? nil : .text($0) }
    case .form(let texts): texts[name].map(FieldValue.texts)
    }
  }

  /// The required value with that name.
  func required(_ name: String) throws(ServiceError) -> FieldValue {
    guard let value = value(name) else { throw .missing(name) }
    return value
  }

  /// An optional boolean.
  package func boolean(_ name: String) throws(ServiceError) -> Bool? {
    try value(name)?.boolean(name)
  }

  /// An optional whole number in `range`.
  package func integer(
    _ name: String, in range: ClosedRange<Int64>
  ) throws(ServiceError) -> Int64? {
    guard let number = try value(name)?.integer(name) else { return nil }
    guard number >= 0 || range.lowerBound < 0 else { throw .negative(name, number) }
    guard range.contains(number) else { throw .outOfRange(name, number, range) }
    return number
  }

  /// The required id of a message.
  package func messageID() throws(ServiceError) -> Int64 {
    guard let id = try optionalMessageID() else { throw .missing("message_id") }
    return id
  }

  package func optionalMessageID() throws(ServiceError) -> Int64? {
    try integer("message_id", in: Limits.messageIDs)
  }

  /// The members of an optional object as separate fields.
  package func nested(_ name: String) throws(ServiceError) -> Fields? {
    guard let value = value(name) else { return nil }
    return try Fields(value.object(name), limits: limits)
  }

  /// One of the names of a set of choices, optional.
  package func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of: Choice.Type
  ) throws(ServiceError) -> Choice? where Choice.RawValue == String {
    guard let text = try value(name)?.string(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let expected = Choice.allCases.map(\.rawValue).joined(separator: " or ")
      throw .invalid(name, text, expected: expected)
    }
    return choice
  }

  /// `limit`: the number of items per page.
  package func pageSize(_ standard: Int64 = Limits.defaultPageSize) throws(ServiceError) -> Int {
    Int(try integer("limit", in: Limits.pageSizes) ?? standard)
  }

  /// `token`: the end of the previous page; an absent or empty token requests the first page.
  package func pageToken(_ name: String = "token") throws(ServiceError) -> String? {
    let token = try text(name, limit: Limits.pageTokenLength)
    return token?.isEmpty == true ? nil : token
  }
}
