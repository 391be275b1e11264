import Channels
import ParleyProtocol
import Store

/// The session calls that use files as pictures, with the files that were claimed for them.
///
/// Confined to its shard.
struct PictureCalls {
  private struct Place: Hashable {
    let session: SessionAddress
    let ticket: CallTicket

    init(_ address: ReplyAddress) {
      session = address.session
      ticket = address.ticket
    }
  }

  private var fileIDs: [Place: String] = [:]

  /// The number of running calls.
  var count: Int { fileIDs.count }

  mutating func begin(_ address: ReplyAddress, with fileID: String) {
    fileIDs[Place(address)] = fileID
  }

  /// Ends a call.
  ///
  /// - Returns: The file to release. A call with an unknown outcome may have succeeded, so its file
  ///   stays claimed.
  mutating func end(_ address: ReplyAddress, with outcome: CallOutcome) -> String? {
    guard !fileIDs.isEmpty, let fileID = fileIDs.removeValue(forKey: Place(address)) else {
      return nil
    }
    switch outcome {
    case .success: return nil
    case .failure(let error): return error.isMoved || error.data.outcome != nil ? nil : fileID
    }
  }
}

extension Shard {
  /// Releases the file of a refused call.
  ///
  /// The file is no picture, and may be in messages again.
  func releasePicture(of call: ReplyAddress, after outcome: CallOutcome) {
    guard let fileID = pictureCalls.end(call, with: outcome) else { return }
    services.store.perform(PictureRelease(fileID)) { _ in }
  }
}
