package access

import "slices"

// UseCase is one use case of staff: an exported method of the domain that requires a permission.
type UseCase struct {
	Name       string // of the method
	Permission Permission
	Action     string // in the audit log: a noun and a verb; "" for a use case that only reads
}

// String returns the name.
func (u UseCase) String() string { return u.Name }

// useCases lists the results of define.
var useCases []UseCase

// UseCases returns every use case of staff.
func UseCases() []UseCase { return slices.Clone(useCases) }

func define(name string, permission Permission, action string) UseCase {
	u := UseCase{name, permission, action}
	useCases = append(useCases, u)
	return u
}

// The use cases of staff.
var (
	// The whole shop.
	ToFollowEvents = define("FollowEvents", Any, "")
	ToFindSummary  = define("FindSummary", Any, "")
	ToSearchShop   = define("SearchShop", Any, "")

	// Orders.
	ToListOrders          = define("ListOrders", OrdersRead, "")
	ToListOrderRows       = define("ListOrderRows", OrdersRead, "")
	ToFindOrderAsStaff    = define("FindOrderAsStaff", OrdersRead, "")
	ToListFlags           = define("ListFlags", OrdersRead, "")
	ToListBuyerMessages   = define("ListBuyerMessages", OrdersRead, "")
	ToFindInvoiceUID      = define("FindInvoiceUID", OrdersRead, "")
	ToCountOrders         = define("CountOrders", OrdersRead, "")
	ToConfirmOrder        = define("ConfirmOrder", OrdersWrite, "order.confirm")
	ToCancelOrderAsStaff  = define("CancelOrderAsStaff", OrdersWrite, "order.cancel")
	ToCancelOrders        = define("CancelOrders", OrdersWrite, "order.cancel")
	ToResolveFlags        = define("ResolveFlags", OrdersWrite, "order.resolve")
	ToReplaceOrderToken   = define("ReplaceOrderToken", OrdersWrite, "order.replace_token")
	ToRecordCall          = define("RecordCall", OrdersWrite, "order.call")
	ToAddNote             = define("AddNote", OrdersWrite, "order.note")
	ToDeleteNote          = define("DeleteNote", OrdersWrite, "order.delete_note")
	ToTagOrder            = define("TagOrder", OrdersWrite, "order.tag")
	ToUndoChange          = define("UndoChange", OrdersWrite, "order.undo")
	ToClaimOrder          = define("ClaimOrder", OrdersWrite, "order.claim")
	ToReleaseOrder        = define("ReleaseOrder", OrdersWrite, "order.release")
	ToPrintOrders         = define("PrintOrders", OrdersRead, "order.print")
	ToMarkPrinted         = define("MarkPrinted", OrdersFulfill, "order.mark_printed")
	ToRecordShipment      = define("RecordShipment", OrdersFulfill, "shipment.record")
	ToBookShipment        = define("BookShipment", OrdersFulfill, "shipment.book")
	ToTrackShipments      = define("TrackShipments", OrdersFulfill, "shipment.track")
	ToCancelShipment      = define("CancelShipment", OrdersFulfill, "shipment.cancel")
	ToPriceShipment       = define("PriceShipment", OrdersFulfill, "")
	ToSaveCashRate        = define("SaveCashRate", OrdersFulfill, "provider.save_cash_rate")
	ToListCourierPlaces   = define("ListCourierPlaces", OrdersFulfill, "")
	ToSuggestCourier      = define("SuggestCourier", OrdersFulfill, "")
	ToSuggestCourierPlace = define("SuggestCourierPlace", OrdersFulfill, "")
	ToMarkDelivered       = define("MarkDelivered", OrdersFulfill, "order.deliver")
	ToRemoveCredit        = define("RemoveCredit", OrdersWrite, "order.remove_credit")
	ToMarkReturned        = define("MarkReturned", OrdersFulfill, "order.return")
	ToEditOrder           = define("EditOrder", OrdersWrite, "order.edit")
	ToMergeOrders         = define("MergeOrders", OrdersWrite, "order.merge")
	ToPlaceOrderAsStaff   = define("PlaceOrderAsStaff", OrdersWrite, "order.place")
	ToParseOrder          = define("ParseOrder", OrdersWrite, "")
	ToRecordAdvance       = define("RecordAdvance", OrdersWrite, "order.advance")
	ToLookUpBuyer         = define("LookUpBuyer", CustomersRead, "order.look_up_buyer")
	ToWaiveAdvance        = define("WaiveAdvance", OrdersWrite, "order.waive_advance")
	ToRemoveAdvance       = define("RemoveAdvance", OrdersWrite, "order.remove_advance")
	ToCheckShipment       = define("CheckShipment", OrdersFulfill, "")

	// Incomplete orders. They are read by those who place orders.
	ToListIncomplete   = define("ListIncomplete", OrdersWrite, "")
	ToFindIncomplete   = define("FindIncomplete", OrdersWrite, "")
	ToCloseIncomplete  = define("CloseIncomplete", OrdersWrite, "incomplete_order.close")
	ToReopenIncomplete = define("ReopenIncomplete", OrdersWrite, "incomplete_order.reopen")
	ToBlockIncomplete  = define("BlockIncomplete", CustomersWrite, "incomplete_order.block")
	ToDeleteIncomplete = define("DeleteIncomplete", OrdersWrite, "incomplete_order.delete")
	ToReportIncomplete = define("ReportIncomplete", AnalyticsRead, "")

	// Payments.
	ToListWalletPayments   = define("ListWalletPayments", OrdersRead, "")
	ToSumWalletPayments    = define("SumWalletPayments", OrdersRead, "")
	ToConfirmWalletPayment = define("ConfirmWalletPayment", OrdersWrite, "order.confirm_payment")
	ToRefuseWalletPayment  = define("RefuseWalletPayment", OrdersWrite, "order.refuse_payment")
	ToListPaymentAttempts  = define("ListPaymentAttempts", PaymentsRead, "")
	ToFindPaymentAttempt   = define("FindPaymentAttempt", PaymentsRead, "")
	ToResolvePayment       = define("ResolvePayment", PaymentsWrite, "payment.resolve")
	ToRefundPayment        = define("RefundPayment", PaymentsWrite, "payment.refund")
	ToMarkRefunded         = define("MarkRefunded", PaymentsWrite, "payment.mark_refunded")
	ToMarkCashRefunded     = define("MarkCashRefunded", PaymentsWrite, "order.refund")

	// Catalogue and stock.
	ToListProducts          = define("ListProducts", ProductsRead, "")
	ToExportProducts        = define("ExportProducts", ProductsRead, "export.products")
	ToExportProductRecords  = define("ExportProductRecords", ProductsRead, "export.products")
	ToFindStockHistory      = define("FindStockHistory", ProductsRead, "")
	ToListStock             = define("ListStock", ProductsRead, "")
	ToFindProductRecord     = define("FindProductRecord", ProductsRead, "")
	ToDescribeLink          = define("DescribeLink", ProductsRead, "")
	ToListCollectionRecords = define("ListCollectionRecords", ProductsRead, "")
	ToFindCollectionRecord  = define("FindCollectionRecord", ProductsRead, "")
	ToCreateProduct         = define("CreateProduct", ProductsWrite, "product.create")
	ToDuplicateProduct      = define("DuplicateProduct", ProductsWrite, "product.duplicate")
	ToUpdateProduct         = define("UpdateProduct", ProductsWrite, "product.edit")
	ToDeleteProduct         = define("DeleteProduct", ProductsWrite, "product.delete")
	ToDeleteCollection      = define("DeleteCollection", ProductsWrite, "collection.delete")
	ToImportProducts        = define("ImportProducts", ProductsWrite, "product.import")
	ToSaveCollection        = define("SaveCollection", ProductsWrite, "collection.save")
	ToUpdateCollection      = define("UpdateCollection", ProductsWrite, "collection.edit")
	ToArrangeCollection     = define("ArrangeCollection", ProductsWrite, "collection.arrange")
	ToAddToCollection       = define("AddToCollection", ProductsWrite, "collection.add")
	ToRemoveFromCollection  = define("RemoveFromCollection", ProductsWrite, "collection.remove")
	ToChangeStock           = define("ChangeStock", StockWrite, "stock.change")
	ToChangeStocks          = define("ChangeStocks", StockWrite, "stock.change")
	ToListMedia             = define("ListMedia", ProductsRead, "")
	ToFindMedia             = define("FindMedia", ProductsRead, "")
	ToUploadMedia           = define("UploadMedia", ProductsWrite, "media.upload")
	ToUpdateMedia           = define("UpdateMedia", ProductsWrite, "media.edit")
	ToDeleteMedia           = define("DeleteMedia", ProductsWrite, "media.delete")
	ToImportMedia           = define("ImportMedia", ProductsWrite, "media.import")

	// Customers and coupons.
	ToListCustomers      = define("ListCustomers", CustomersRead, "")
	ToFindCustomerRecord = define("FindCustomerRecord", CustomersRead, "")
	ToFindContact        = define("FindContact", CustomersRead, "")
	ToUpdateContact      = define("UpdateContact", CustomersWrite, "contact.edit")
	ToResetPassword      = define("ResetPassword", CustomersWrite, "customer.reset_password")
	ToDeleteCustomer     = define("DeleteCustomer", CustomersDelete, "customer.delete")
	ToExportCustomer     = define("ExportCustomer", Export, "export.customer")
	ToExportOrders       = define("ExportOrders", Export, "export.orders")
	ToExportOrderRecords = define("ExportOrderRecords", Export, "export.orders")
	ToExportCustomers    = define("ExportCustomers", Export, "export.customers")
	ToListCoupons        = define("ListCoupons", CouponsRead, "")
	ToFindCoupon         = define("FindCoupon", CouponsRead, "")
	ToSaveCoupon         = define("SaveCoupon", CouponsWrite, "coupon.save")
	ToUpdateCoupon       = define("UpdateCoupon", CouponsWrite, "coupon.edit")
	ToEnableCoupon       = define("EnableCoupon", CouponsWrite, "coupon.enable")
	ToDeleteCoupon       = define("DeleteCoupon", CouponsWrite, "coupon.delete")
	ToDisableCoupon      = define("DisableCoupon", CouponsWrite, "coupon.disable")

	// The site.
	ToListRedirects   = define("ListRedirects", SiteRead, "")
	ToSaveRedirect    = define("SaveRedirect", SiteWrite, "redirect.save")
	ToDeleteRedirect  = define("DeleteRedirect", SiteWrite, "redirect.delete")
	ToImportRedirects = define("ImportRedirects", SiteWrite, "redirect.import")

	ToFindDesign            = define("FindDesign", SiteRead, "")
	ToFindDesignVersion     = define("FindDesignVersion", SiteRead, "")
	ToSaveDesign            = define("SaveDesign", SiteWrite, "design.edit")
	ToPublishDesign         = define("PublishDesign", SiteWrite, "design.publish")
	ToRestoreDesign         = define("RestoreDesign", SiteWrite, "design.restore")
	ToCreatePreview         = define("CreatePreview", SiteRead, "")
	ToListLandingPages      = define("ListLandingPages", SiteRead, "")
	ToFindLandingPageRecord = define("FindLandingPageRecord", SiteRead, "")
	ToSaveLandingPage       = define("SaveLandingPage", SiteWrite, "landing_page.save")
	ToListReviews           = define("ListReviews", SiteRead, "")
	ToPublishReview         = define("PublishReview", SiteWrite, "review.publish")
	ToRejectReview          = define("RejectReview", SiteWrite, "review.reject")
	ToDeleteLandingPage     = define("DeleteLandingPage", SiteWrite, "landing_page.delete")
	ToFindMenus             = define("FindMenus", SiteRead, "")
	ToSaveMenus             = define("SaveMenus", SiteWrite, "menus.edit")

	// Translations, which also require the permission to view or change the record.
	ToListTranslations = define("ListTranslations", Any, "")
	ToFindTranslation  = define("FindTranslation", Any, "")
	ToSaveTranslation  = define("SaveTranslation", Any, "translation.save")

	// Cash on delivery.
	ToReportCash          = define("ReportCash", CashRead, "")
	ToListLedger          = define("ListLedger", CashRead, "")
	ToInspectStatement    = define("InspectStatement", CashWrite, "")
	ToReconcileStatement  = define("ReconcileStatement", CashWrite, "cash.reconcile")
	ToListStatements      = define("ListStatements", CashRead, "")
	ToFindStatement       = define("FindStatement", CashRead, "")
	ToExportCash          = define("ExportCash", Export, "export.cash")
	ToListCourierBalances = define("ListCourierBalances", CashRead, "")

	// Analytics.
	ToReportSales    = define("ReportSales", AnalyticsRead, "")
	ToExportSales    = define("ExportSales", Export, "export.sales")
	ToReportOverview = define("ReportOverview", AnalyticsRead, "")
	ToExportOverview = define("ExportOverview", Export, "export.sales")

	// Campaigns.
	ToReportCampaigns = define("ReportCampaigns", AnalyticsRead, "")
	ToExportCampaigns = define("ExportCampaigns", Export, "export.sales")
	ToListSpend       = define("ListSpend", AnalyticsRead, "")
	ToSaveSpend       = define("SaveSpend", AnalyticsWrite, "spend.save")
	ToImportSpend     = define("ImportSpend", AnalyticsWrite, "spend.import")
	ToDeleteSpend     = define("DeleteSpend", AnalyticsWrite, "spend.delete")

	// Settings and providers.
	ToFindBacklog          = define("FindBacklog", SettingsRead, "")
	ToListMessageTemplates = define("ListMessageTemplates", SettingsRead, "")
	ToFindSettings         = define("FindSettings", SettingsRead, "")
	ToFindPlan             = define("FindPlan", SettingsRead, "")
	ToSetSettings          = define("SetSettings", SettingsWrite, "settings.change")
	ToSuspend              = define("Suspend", ShopClose, "shop.suspend")
	ToResume               = define("Resume", ShopClose, "shop.resume")
	ToSetMode              = define("SetMode", ProvidersWrite, "shop.set_mode")
	ToSendTestMessage      = define("SendTestMessage", SettingsWrite, "message.test")
	ToListPlugins          = define("ListPlugins", ProvidersRead, "")
	ToListWebhookURLs      = define("ListWebhookURLs", ProvidersRead, "")
	ToListWebhooks         = define("ListWebhooks", ProvidersRead, "")
	ToFindWebhook          = define("FindWebhook", ProvidersRead, "")
	ToListRefusedWebhooks  = define("ListRefusedWebhooks", ProvidersRead, "")
	ToSMSConfig            = define("SMSConfig", ProvidersRead, "")
	ToMailConfig           = define("MailConfig", ProvidersRead, "")
	ToValidatePlugin       = define("ValidatePlugin", ProvidersRead, "")
	ToConfigurePlugin      = define("ConfigurePlugin", ProvidersWrite, "provider.configure")
	ToCourierTestCall      = define("CourierTestCall", OperatorOnly, "")
	ToReplayWebhook        = define("ReplayWebhook", ProvidersWrite, "webhook.replay")
	ToConfigureSMS         = define("ConfigureSMS", ProvidersWrite, "sms.configure")
	ToSendTestSMS          = define("SendTestSMS", ProvidersWrite, "sms.test")
	ToConfigureMail        = define("ConfigureMail", ProvidersWrite, "mail.configure")
	ToSendTestMail         = define("SendTestMail", ProvidersWrite, "mail.test")

	// Advertisers.
	ToListReceivers    = define("ListReceivers", SettingsRead, "")
	ToSetReceiverToken = define("SetReceiverToken", SettingsWrite, "advertiser.set_token")
	ToTestReceiver     = define("TestReceiver", SettingsWrite, "advertiser.test")
	ToListConversions  = define("ListConversions", AnalyticsRead, "")
	ToSendConversion   = define("SendConversion", SettingsWrite, "advertiser.send")

	// Jobs.
	ToChangeOrders   = define("ChangeOrders", Any, "job.create")
	ToChangeProducts = define("ChangeProducts", Any, "job.create")
	ToListJobs       = define("ListJobs", Any, "")
	ToFindJob        = define("FindJob", Any, "")
	ToCancelJob      = define("CancelJob", Any, "job.cancel")
	ToRetryJob       = define("RetryJob", Any, "job.retry")

	// Webhook endpoints.
	ToListEndpoints  = define("ListEndpoints", KeysWrite, "")
	ToFindEndpoint   = define("FindEndpoint", KeysWrite, "")
	ToCreateEndpoint = define("CreateEndpoint", KeysWrite, "webhook_endpoint.create")
	ToUpdateEndpoint = define("UpdateEndpoint", KeysWrite, "webhook_endpoint.edit")
	ToDeleteEndpoint = define("DeleteEndpoint", KeysWrite, "webhook_endpoint.delete")
	ToRotateEndpoint = define("RotateEndpoint", KeysWrite, "webhook_endpoint.rotate")
	ToTestEndpoint   = define("TestEndpoint", KeysWrite, "webhook_endpoint.test")
	ToListDeliveries = define("ListDeliveries", KeysWrite, "")
	ToRedeliverRange = define("RedeliverRange", KeysWrite, "webhook_endpoint.redeliver")
	ToRedeliver      = define("Redeliver", KeysWrite, "webhook_endpoint.redeliver")

	// Notifications to staff members.
	ToFindChannels       = define("FindChannels", ProvidersRead, "")
	ToConfigureChannels  = define("ConfigureChannels", ProvidersWrite, "notification.configure")
	ToTestMember         = define("TestMember", StaffWrite, "notification.test")
	ToFindPreferences    = define("FindPreferences", Own, "")
	ToUpdatePreferences  = define("UpdatePreferences", Own, "notification.edit")
	ToFindRecent         = define("FindRecent", Own, "")
	ToMarkSeen           = define("MarkSeen", Own, "")
	ToSaveDevice         = define("SaveDevice", Own, "device.add")
	ToRemoveDevice       = define("RemoveDevice", Own, "device.remove")
	ToStartTelegramLink  = define("StartTelegramLink", Own, "telegram.start")
	ToFinishTelegramLink = define("FinishTelegramLink", Own, "telegram.link")
	ToEndTelegramLink    = define("EndTelegramLink", Own, "telegram.unlink")
	ToTestNotifications  = define("TestNotifications", Own, "notification.test")

	// API keys and the audit log.
	ToListAPIKeys  = define("ListAPIKeys", KeysWrite, "")
	ToCreateAPIKey = define("CreateAPIKey", KeysWrite, "key.create")
	ToRevokeAPIKey = define("RevokeAPIKey", KeysWrite, "key.revoke")
	ToListAudit    = define("ListAudit", AuditRead, "")

	// Staff members.
	ToListMembers       = define("ListMembers", StaffRead, "")
	ToFindMember        = define("FindMember", StaffRead, "")
	ToListVisits        = define("ListVisits", StaffRead, "")
	ToInviteMember      = define("InviteMember", StaffWrite, "staff.invite")
	ToUpdateMember      = define("UpdateMember", StaffWrite, "staff.edit")
	ToTurnOffMember     = define("TurnOffMember", StaffWrite, "staff.turn_off")
	ToRemoveMember      = define("RemoveMember", StaffWrite, "staff.remove")
	ToCreateLink        = define("CreateLink", StaffWrite, "staff.link")
	ToEndMemberSessions = define("EndMemberSessions", StaffWrite, "staff.end_sessions")

	// The installation: all shops and the operators of the server.
	ToListShops     = define("ListShops", InstallationRead, "")
	ToFindShop      = define("FindShop", InstallationRead, "")
	ToFindHealth    = define("FindHealth", InstallationRead, "")
	ToCreateShop    = define("CreateShop", ShopsWrite, "shop.create")
	ToSuspendShop   = define("SuspendShop", ShopsWrite, "shop.suspend")
	ToResumeShop    = define("ResumeShop", ShopsWrite, "shop.resume")
	ToChangeShops   = define("ChangeShops", ShopsWrite, "shop.change_many")
	ToDeleteShop    = define("DeleteShop", ShopsDelete, "shop.delete")
	ToCopyShop      = define("CopyShop", ShopsWrite, "shop.copy")
	ToCreateSandbox = define("CreateSandbox", ShopsWrite, "shop.sandbox")
	ToMoveShop      = define("MoveShop", ShopsWrite, "shop.move")
	ToRestoreShop   = define("RestoreShop", ShopsDelete, "shop.restore")

	ToListRestorePoints = define("ListRestorePoints", InstallationRead, "")

	ToListPlans       = define("ListPlans", InstallationRead, "")
	ToSavePlan        = define("SavePlan", PlansWrite, "plan.save")
	ToRemovePlan      = define("RemovePlan", PlansWrite, "plan.remove")
	ToAssignPlan      = define("AssignPlan", PlansWrite, "shop.plan")
	ToFindDefaults    = define("FindDefaults", InstallationRead, "")
	ToSetDefaults     = define("SetDefaults", DefaultsWrite, "defaults.set")
	ToListIncidents   = define("ListIncidents", InstallationRead, "")
	ToOpenIncident    = define("OpenIncident", StatusWrite, "incident.open")
	ToUpdateIncident  = define("UpdateIncident", StatusWrite, "incident.update")
	ToRemoveIncident  = define("RemoveIncident", StatusWrite, "incident.remove")
	ToListShopUsage   = define("ListShopUsage", InstallationRead, "")
	ToInviteOwner     = define("InviteOwner", ShopsEnter, "shop.owner_link")
	ToEnterShop       = define("EnterShop", ShopsEnter, "shop.enter")
	ToListOperators   = define("ListOperators", OperatorsRead, "")
	ToListOperatorLog = define("ListOperatorLog", OperatorsRead, "")
	ToInviteOperator  = define("InviteOperator", OperatorsWrite, "staff.invite")
	ToUpdateOperator  = define("UpdateOperator", OperatorsWrite, "staff.edit")
	ToResetOperator   = define("ResetOperator", OperatorsWrite, "staff.link")
	ToRemoveOperator  = define("RemoveOperator", OperatorsWrite, "staff.remove")

	// The server, before anybody signs in.
	ToFindStart = define("FindStart", Anybody, "")
	ToSetUp     = define("SetUp", Anybody, "shop.create")

	// Sign-in, which everybody may attempt.
	ToSignIn              = define("SignIn", Anybody, "session.create")
	ToBeginPasskeySignIn  = define("BeginPasskeySignIn", Anybody, "")
	ToSignInByPasskey     = define("SignInByPasskey", Anybody, "session.create")
	ToInspectLink         = define("InspectLink", Anybody, "")
	ToUseLink             = define("UseLink", Anybody, "link.use")
	ToRequestPasswordCode = define("RequestPasswordCode", Anybody, "password.send_code")
	ToResetOwnPassword    = define("ResetOwnPassword", Anybody, "password.reset")

	// A staff member's own account.
	ToFindSession       = define("FindSession", Own, "")
	ToReadAsAgent       = define("ReadAsAgent", Any, "agent.read")
	ToProveSession      = define("ProveSession", Own, "session.prove")
	ToEndSession        = define("EndSession", Own, "session.end")
	ToListSessions      = define("ListSessions", Own, "")
	ToEndOwnSession     = define("EndOwnSession", Own, "session.end")
	ToEndOwnSessions    = define("EndOwnSessions", Own, "session.end")
	ToUpdateMe          = define("UpdateMe", Own, "me.edit")
	ToChangeOwnPassword = define("ChangeOwnPassword", Own, "password.change")
	ToStartTOTP         = define("StartTOTP", Own, "totp.start")
	ToConfirmTOTP       = define("ConfirmTOTP", Own, "totp.confirm")
	ToRemoveTOTP        = define("RemoveTOTP", Own, "totp.remove")
	ToBeginPasskeyProof = define("BeginPasskeyProof", Own, "")
	ToBeginPasskey      = define("BeginPasskey", Own, "")
	ToAddPasskey        = define("AddPasskey", Own, "passkey.add")
	ToListPasskeys      = define("ListPasskeys", Own, "")
	ToRenamePasskey     = define("RenamePasskey", Own, "passkey.rename")
	ToRemovePasskey     = define("RemovePasskey", Own, "passkey.remove")

	// The operator's own.
	ToWriteHistory     = define("WriteHistory", OperatorOnly, "")
	ToSeedCollection   = define("SeedCollection", OperatorOnly, "collection.save")
	ToSigningKeys      = define("SigningKeys", OperatorOnly, "")
	ToRotateSigningKey = define("RotateSigningKey", OperatorOnly, "signing_key.rotate")
	ToFindUsage        = define("FindUsage", OperatorOnly, "")
	ToSetPlan          = define("SetPlan", OperatorOnly, "shop.plan")
	ToRenewDefaults    = define("RenewDefaults", OperatorOnly, "shop.defaults")
)
