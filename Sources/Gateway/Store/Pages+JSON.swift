import Channels
import ParleyProtocol
import Store

extension MessagePage<[UInt8]> {
  /// The answer of both APIs: the messages, whether there are more, and the ids from which to continue;
  /// 0 for none.
  func encoded() -> [UInt8] {
    JSONWriter.bytes(reserving: items.reduce(160) { $0 + $1.count + 1 }) { writer in
      writer.object {
        $0.member("messages", array: { for message in items { $0.value(raw: message) } })
        $0.member("has_previous", previous != nil)
        $0.member("has_next", next != nil)
        $0.member("previous_from", previous?.messageID ?? 0)
        $0.member("next_from", next?.messageID ?? 0)
      }
    }
  }
}

extension ListPage<[UInt8]> {
  /// The answer with a named list, and the token of the next page.
  ///
  /// - Parameter time: The time of the list in Unix milliseconds, if the answer has it.
  func encoded(as name: StaticString, at time: Int64? = nil) -> [UInt8] {
    JSONWriter.bytes(reserving: items.reduce(64 + next.utf8.count) { $0 + $1.count + 1 }) {
      writer in
      writer.object {
        $0.member(name, array: { for item in items { $0.value(raw: item) } })
        $0.member("next", next)
        if let time { $0.member("ts", time) }
      }
    }
  }
}

/// Encodes the items of a list as JSON.
struct JSONPageEncoder<Item>: PageEncoder {
  private let write: @Sendable (Item, inout JSONWriter) -> Void

  init(_ write: @escaping @Sendable (Item, inout JSONWriter) -> Void) { self.write = write }

  func encode(_ item: Item) -> PageItem<[UInt8]> { PageItem { write(item, &$0) } }
}

extension PageItem<[UInt8]> {
  /// An item as JSON.
  init(_ write: (inout JSONWriter) -> Void) {
    self.init(json: JSONWriter.bytes(write))
  }
}

extension MessageChangePage<[UInt8]> {
  /// The result of `message.changes`.
  func encoded() -> [UInt8] {
    JSONWriter.bytes(reserving: updated.reduce(256) { $0 + $1.count + 1 }) { writer in
      writer.object {
        $0.member("updated", array: { for message in updated { $0.value(raw: message) } })
        $0.member("deleted_ids", array: { for id in deletedIDs { $0.value(id) } })
        $0.member("has_more", hasMore)
        $0.member("token", token)
      }
    }
  }
}
