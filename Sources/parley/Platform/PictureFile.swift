/// A file that becomes the picture of a channel or user.
struct PictureFile {
  /// The name of the file's part in a form.
  let part: String
  let path: String
}

extension PlatformClient {
  /// Makes a call as JSON, or as a form if there is a picture.
  func call(
    _ method: String, _ path: String, _ body: RequestBody, _ picture: PictureFile?
  ) throws -> [UInt8] {
    guard let picture else { return try call(method, path, body: body) }
    let form = try FormBody(fields: body.fields, part: picture.part, file: picture.path)
    return try call(method, path, form: form)
  }
}
