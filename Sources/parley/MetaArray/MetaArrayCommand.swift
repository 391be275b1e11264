internal import ArgumentParser

/// A message's extra data.
struct MetaArrayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metaarray", abstract: "Change a message's extra data: lists of texts by keys.",
    discussion: """
      At most 10 keys of at most 128 characters, with at most 100 texts each of at most 190. A text \
      is in a list once; lists keep their order. 'message show' shows them.

      EXAMPLES:
        parley message metaarray add lobby 17300000000001 games=chess games=go
        parley message metaarray remove lobby 17300000000001 games=go
        parley message metaarray remove-keys lobby 17300000000001 games
      """,
    subcommands: [AddMetaArrayValues.self, RemoveMetaArrayValues.self, RemoveMetaArrayKeys.self])
}
