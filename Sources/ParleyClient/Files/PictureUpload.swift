/// Parameters of a call with a picture of a channel or user.
protocol PicturedValues: Sendable {
  /// The picture to be uploaded before the call.
  var picture: FileContent? { get }
  /// The id of the uploaded picture.
  var pictureFileID: String? { get set }
}

extension ClientCore {
  /// Makes a call after its picture was uploaded, if it has one, and waits.
  func perform<Values: PicturedValues, Value: Sendable>(
    _ values: Values, _ call: (Values) -> Call<Value>
  ) async throws(ParleyError) -> Value {
    guard let picture = values.picture else { return try await perform(call(values)) }
    let upload = FileUpload(picture, named: requestIDs.next())
    var values = values
    values.pictureFileID = try await upload.run(in: self)
    return try await perform(call(values))
  }

  /// Makes a call after its picture was uploaded, if it has one, and gives a handler its value or its error.
  func start<Values: PicturedValues, Value: Sendable>(
    _ values: Values, _ call: @escaping @Sendable (Values) -> Call<Value>,
    handler: @escaping @Sendable (Value?, ParleyError?) -> Void
  ) {
    // Without a picture the call keeps its place among the others.
    guard values.picture != nil else { return start(call(values), handler: handler) }
    start(handler: handler) { [self] () async throws(ParleyError) in
      try await perform(values, call)
    }
  }
}

extension FileUpload {
  /// An upload of a picture, of which no progress is reported.
  fileprivate init(_ picture: FileContent, named requestID: String) {
    self.init(
      params: FileMessageCreateParams(file: picture).values, content: picture, requestID: requestID,
      report: { _ in })
  }
}
