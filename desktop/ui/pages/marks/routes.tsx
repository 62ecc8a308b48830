export const markRoutes = []
