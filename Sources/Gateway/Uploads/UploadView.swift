import Channels
import HTTP
import ParleyProtocol
import Store
import Uploads

/// An upload as clients see it.
struct UploadView: Sendable {
  let record: UploadRecord
  /// Unix milliseconds.
  let time: Int64
  let publicURL: String?

  /// Writes the object `file`.
  func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("file_id", record.fileID)
      $0.member("status", record.status(at: time).rawValue)
      $0.member("name", record.name)
      $0.member("type", record.type)
      $0.member("size", record.size)
      $0.member("offset", record.offset)
      $0.member("expires_at", record.expiresAt)
      if record.stage == .complete, let url { $0.member("url", url) }
      if let id = record.messageID { $0.member("message_id", id) }
      if let error = record.messageError { $0.member("error", raw: Array(error.utf8)) }
    }
  }

  /// The result of a call: `{"file": …}`.
  func encodedAsResult() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("file")
        encode(into: &$0)
      }
    }
  }

  /// The answer to a `PUT`: the file, with its message or the reason why there is none.
  func encodedWithMessage() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("file")
        encode(into: &$0)
        if let error = record.messageError {
          $0.member("error", raw: Array(error.utf8))
        } else if let result = sent, let message = result["message"] {
          $0.member("message", raw: Array(message.raw))
          $0.member("seq", result["seq"]?.integer ?? 0)
        }
      }
    }
  }

  private var sent: JSONNode? {
    record.messageResult.flatMap { try? JSONDocument(Array($0.utf8)).root }
  }

  /// The code of the error with which the message was refused.
  var errorCode: Int? {
    guard let error = record.messageError,
      let root = try? JSONDocument(Array(error.utf8)).root
    else { return nil }
    return ServiceError(json: root)?.code.rawValue
  }

  private var url: String? {
    let address = try? FileAddress(publicURL: publicURL, namedBase: record.base)
    return address?.url(ofFile: record.fileID, FileName(record.name))
  }
}

extension UploadRecord {
  /// The record of a message's file.
  var fileRecord: FileRecord {
    let address = try? FileAddress(publicURL: nil, namedBase: base)
    let url = address?.storedURL(ofFile: fileID, FileName(name))
    return FileRecord(id: fileID, name: name, type: type, size: size, url: url ?? "")
  }

  /// The file as a message shows it, with the name and the type that the sender gave in the message.
  func file(named sent: MessageFile?, publicURL: String?) -> MessageFile {
    let address = try? FileAddress(publicURL: publicURL, namedBase: base)
    let given = { (text: String?, own: String) in text.flatMap { $0.isEmpty ? nil : $0 } ?? own }
    return MessageFile(
      id: fileID, url: address?.url(ofFile: fileID, FileName(name)) ?? "",
      name: given(sent?.name, name), type: given(sent?.type, type), size: size,
      requiresAuthorization: seal != nil)
  }
}
