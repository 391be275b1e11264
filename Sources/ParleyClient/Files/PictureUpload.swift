/// Parameters of a call with a picture of a channel or user.
protocol PicturedValues: Sendable {
  /// The picture to upload before the call.
  var picture: FileContent? { get }
  /// The id of the uploaded picture.
  var pictureFileID: String? { get set }
}

extension ClientCore {
  /// Uploads the picture, if there is one, then makes the call and waits.
  func perform<Values: PicturedValues, Value: Sendable>(
    _ values: Values, _ call: (Values) -> Call<Value>
  ) async throws(ParleyError) -> Value {
    guard let picture = values.picture else { return try await perform(call(values)) }
    let upload = FileUpload(picture, named: requestIDs.next())
    var values = values
    values.pictureFileID = try await upload.run(in: self)
    return try await perform(call(values))
  }

  /// Uploads the picture, if any, then makes the call and passes its value or error to a handler.
  func start<Values: PicturedValues, Value: Sendable>(
    _ values: Values, _ call: @escaping @Sendable (Values) -> Call<Value>,
    handler: @escaping @Sendable (Value?, ParleyError?) -> Void
  ) {
    // A call without a picture keeps its order among the other calls.
    guard values.picture != nil else { return start(call(values), handler: handler) }
    start(handler: handler) { [self] () async throws(ParleyError) in
      try await perform(values, call)
    }
  }
}

extension FileUpload {
  /// Creates an upload of a picture without progress reports.
  fileprivate init(_ picture: FileContent, named requestID: String) {
    self.init(
      params: FileMessageCreateParams(file: picture).values, content: picture, requestID: requestID,
      report: { _ in })
  }
}
