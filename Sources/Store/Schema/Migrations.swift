import GRDB
import Logging

/// The steps from an empty file to the present schema.
///
/// A step that was released is never changed; what comes later is a step of its own.
enum Migrations {
  static func run(on queue: DatabaseQueue, path: String, logger: Logger) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 users", migrate: UsersSchema.create)
    migrator.registerMigration("2 channels", migrate: ChannelsSchema.create)
    migrator.registerMigration("3 messages", migrate: MessagesSchema.create)
    migrator.registerMigration("4 service", migrate: ServiceSchema.create)
    migrator.registerMigration("5 platform", migrate: PlatformSchema.create)
    migrator.registerMigration("6 webhooks", migrate: WebhooksSchema.create)
    migrator.registerMigration("7 files", migrate: FilesSchema.create)
    migrator.registerMigration("8 lists") { database in
      try ListsSchema.steps.run(on: database, logger: logger)
    }
    migrator.registerMigration("9 ids of files in messages", migrate: FilesSchema.nameInMessages)
    migrator.registerMigration("10 terms", migrate: ChannelsSchema.addTerm)
    guard try !queue.read(migrator.hasBeenSuperseded) else {
      throw StoreError.newerSchema(path: path)
    }
    try migrator.migrate(queue)
  }
}
