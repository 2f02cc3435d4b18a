// The first window of latch-desktop in C, without its logic: what GTK and libadwaita alone cost. scripts/measure-app compiles it.
#include <adwaita.h>

static GtkWidget *connect_page(void) {
    GtkWidget *group = adw_preferences_group_new(), *address = adw_entry_row_new();
    adw_preferences_row_set_title(ADW_PREFERENCES_ROW(address), "Server URL");
    adw_preferences_group_add(ADW_PREFERENCES_GROUP(group), address);
    GtkWidget *title = gtk_label_new("Latchstring"), *next = gtk_button_new_with_label("Next");
    gtk_widget_add_css_class(title, "title-1");
    gtk_widget_add_css_class(next, "suggested-action");
    gtk_widget_add_css_class(next, "pill");
    GtkWidget *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 18);
    gtk_box_append(GTK_BOX(column), title);
    gtk_box_append(GTK_BOX(column), group);
    gtk_box_append(GTK_BOX(column), next);
    GtkWidget *clamp = adw_clamp_new(), *scrolled = gtk_scrolled_window_new();
    adw_clamp_set_child(ADW_CLAMP(clamp), column);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), clamp);
    gtk_widget_set_vexpand(scrolled, TRUE);
    return scrolled;
}

static void activate(GtkApplication *application) {
    GtkWidget *window = adw_application_window_new(application), *header = adw_header_bar_new();
    GtkWidget *back = gtk_button_new_from_icon_name("go-previous-symbolic"), *menu = gtk_menu_button_new();
    gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(menu), "open-menu-symbolic");
    GMenu *items = g_menu_new();
    g_menu_append(items, "Quit", "app.quit");
    gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(menu), G_MENU_MODEL(items));
    adw_header_bar_pack_start(ADW_HEADER_BAR(header), back);
    adw_header_bar_pack_end(ADW_HEADER_BAR(header), menu);
    adw_header_bar_set_title_widget(ADW_HEADER_BAR(header), adw_window_title_new("Latchstring", ""));
    GtkWidget *stack = gtk_stack_new(), *toasts = adw_toast_overlay_new(), *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_stack_add_child(GTK_STACK(stack), connect_page());
    adw_toast_overlay_set_child(ADW_TOAST_OVERLAY(toasts), stack);
    gtk_box_append(GTK_BOX(column), header);
    gtk_box_append(GTK_BOX(column), toasts);
    adw_application_window_set_content(ADW_APPLICATION_WINDOW(window), column);
    gtk_window_set_default_size(GTK_WINDOW(window), 800, 640);
    gtk_window_present(GTK_WINDOW(window));
}

int main(int count, char **arguments) {
    AdwApplication *application = adw_application_new("org.latchstring.Measurement", G_APPLICATION_DEFAULT_FLAGS);
    g_signal_connect(application, "activate", G_CALLBACK(activate), NULL);
    return g_application_run(G_APPLICATION(application), count, arguments);
}
